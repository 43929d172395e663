export const OVERLAY_STYLE = `
:host { all: initial; color-scheme: light dark; }
* { box-sizing: border-box; }
aside {
  --text: #1a1f2b; --muted: #596273; --line: #e2e6ee; --back: #fff; --raised: #f5f7fa;
  --accent: #2457c5; --good: #0a6b3d; --good-back: #e2f5ea; --bad: #a3260f; --bad-back: #fdeae6;
  position: fixed; z-index: 2147483647; right: 16px; bottom: 16px; width: 420px; max-width: calc(100vw - 16px);
  max-height: min(75vh, 720px); display: flex; flex-direction: column; overflow: hidden;
  background: var(--back); color: var(--text); border: 1px solid var(--line); border-radius: 12px;
  box-shadow: 0 12px 40px rgb(16 24 40 / 22%); font: 13px/1.45 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  aside {
    --text: #e8ebf2; --muted: #a4adbd; --line: #363d4b; --back: #1b202a; --raised: #252b37;
    --accent: #8db4ff; --good: #7fdcab; --good-back: #173a2a; --bad: #ffab9a; --bad-back: #46201a;
  }
}
@media (max-width: 480px) {
  aside { right: 8px; left: 8px; bottom: 8px; width: auto; max-height: 60vh; }
}
header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; border-bottom: 1px solid var(--line); }
header h1 { flex: 1; margin: 0; font-size: 14px; font-weight: 650; }
header small { color: var(--muted); font-weight: 400; font-size: 13px; }
.body { overflow: auto; padding: 4px 12px 12px; overscroll-behavior: contain; }
aside.small .body { display: none; }
aside.small header { border: 0; }
h2 { margin: 12px 0 4px; font-size: 11px; letter-spacing: .04em; text-transform: uppercase; color: var(--muted); }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: 6px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
li:first-child { border-top: 0; }
.row { display: flex; align-items: baseline; gap: 4px 8px; }
.row > * { flex: none; white-space: nowrap; }
.row > .text { flex: 0 1 auto; min-width: 0; white-space: normal; }
.text span { display: inline-block; }
.row .end { margin-left: auto; }
.wrap { flex-wrap: wrap; }
.wrap > * { max-width: 100%; white-space: normal; }
.id code { flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; }
b { font-weight: 600; }
p { margin: 2px 0; }
.muted { color: var(--muted); }
code { font: 12px ui-monospace, monospace; }
.chip { max-width: 100%; overflow: hidden; text-overflow: ellipsis; padding: 1px 8px; border-radius: 99px; background: var(--raised); border: 1px solid var(--line); font-size: 12px; }
.row > .chip:not(.end) { flex: 0 1 auto; min-width: 2em; max-width: 12em; }
.chip.good { background: var(--good-back); color: var(--good); border-color: transparent; }
.chip.bad { background: var(--bad-back); color: var(--bad); border-color: transparent; }
.warnings { margin-top: 10px; padding: 4px 10px; border-radius: 8px; background: var(--bad-back); color: var(--bad); }
.warnings li { border-color: transparent; padding: 3px 0; }
a { color: var(--accent); text-underline-offset: 2px; }
a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
button {
  font: inherit; font-size: 12px; color: inherit; background: var(--raised); border: 1px solid var(--line);
  border-radius: 6px; padding: 3px 8px; min-height: 26px; cursor: pointer;
}
button:hover { border-color: var(--muted); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
`;

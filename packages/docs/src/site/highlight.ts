import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { escapeHtml } from './escape-html.ts';

const LANGUAGES = { bash, dockerfile, http, ini, javascript, json, nginx, typescript, xml, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** What a reader calls the language of a fence. */
const LABELS: Record<string, string> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  tsx: 'TypeScript (JSX)',
  jsx: 'JavaScript (JSX)',
  json: 'JSON',
  yaml: 'YAML',
  html: 'HTML',
  http: 'HTTP',
  nginx: 'nginx',
  ini: 'INI',
  caddyfile: 'Caddyfile',
  dockerfile: 'Dockerfile',
};

export const languageLabel = (language: string) => LABELS[language] ?? '';

/** Code as HTML with the classes of highlight.js; plain text if the language is unknown. */
export function highlight(code: string, language: string): string {
  if (hljs.getLanguage(language) === undefined) return escapeHtml(code);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
/** Nodes write, so others, which ask for a standby, make no sense. */
const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'];
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** One URL for each server of a list such as `postgres://user@a:5432,b:5432/database`; undefined if it is invalid. */
export function serverUrls(text: string): [string, ...string[]] | undefined {
  const [, start, hosts, rest] = PARTS.exec(text) ?? [];
  if (hosts === undefined) return undefined;
  const [first, ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return [first!, ...others].every(isServerUrl) ? [first!, ...others] : undefined;
}

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { searchParams } = new URL(text);
  const isAllowed = (name: string, values: readonly string[]) =>
    searchParams.getAll(name).every((value) => values.includes(value));
  return isAllowed('target_session_attrs', SESSION_ATTRIBUTES) && isAllowed('sslmode', SSL_MODES);
}

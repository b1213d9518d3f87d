import type { Cloud } from './cloud.ts';
import { cloudPlatformScope, isTokenText } from './names.ts';
import { type Exchange, postJson } from './post.ts';
import { ExchangeError, type TokenGrant } from './token-manager.ts';

/** The longest life that the cloud gives without being set up for more, and that of a token whose end cannot be read. */
const lifetimeSeconds = 3_600;

/**
 * Exchanges a token of the identity pool for one of the service account of the mesh in the project (IAM Service Account
 * Credentials API, generateAccessToken). Throws `ExchangeError`.
 */
export async function accessToken(
  { endpoints, clock }: Cloud,
  projectNumber: string,
  federated: string,
  exchange: Exchange,
): Promise<TokenGrant> {
  const account = `service-${encodeURIComponent(projectNumber)}@gcp-sa-meshdataplane.iam.gserviceaccount.com`;
  const url = `${endpoints.credentials}/v1/projects/-/serviceAccounts/${account}:generateAccessToken`;
  const body = { name: '', delegates: [], scope: [cloudPlatformScope], lifetime: `${lifetimeSeconds}s` };
  const headers = { authorization: `Bearer ${federated}` };
  const answer = await postJson({ url, headers, body, secrets: [federated] }, exchange);
  const { accessToken: token, expireTime } = answer;
  const { host } = new URL(url);
  if (!isTokenText(token)) throw new ExchangeError(`${host} answers without accessToken`, 'malformed');
  const nowMs = clock.wallMs();
  const expiresAtMs = parseTime(expireTime) ?? nowMs + lifetimeSeconds * 1000;
  if (expiresAtMs <= nowMs) throw new ExchangeError(`${host} answers with a token that has expired`, 'malformed');
  return { token, expiresAtMs };
}

/** RFC 3339, with any number of digits of a second. */
function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const [, seconds, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${fraction.slice(0, 4)}${zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}

import { type DownloadOptions, download, refuseDowngrade } from './download.ts';
import { KeySetError, quoted, quotedUrl } from './fault.ts';
import { parseObject } from './parse-object.ts';
import { parseTargetUrl } from './target.ts';

/**
 * The `jwks_uri` of an issuer by OpenID Connect Discovery 1.0, section 4: the document's `issuer` must be the issuer,
 * character for character (4.3), else one issuer could speak for another.
 */
export async function discoverKeySetUrl(issuer: string, options: DownloadOptions): Promise<URL> {
  const url = discoveryUrl(issuer);
  const document = parseObject(await download(url, options), `the discovery document ${quotedUrl(url)}`);
  if (document.issuer !== issuer) {
    const found = typeof document.issuer === 'string' ? quoted(document.issuer) : 'none';
    throw new KeySetError('issuer-mismatch', `${quotedUrl(url)} names issuer ${found}, expected ${quoted(issuer)}`);
  }
  if (typeof document.jwks_uri !== 'string') {
    throw new KeySetError('answer-invalid', `${quotedUrl(url)} has no "jwks_uri"`);
  }
  const keySetUrl = parseTargetUrl(document.jwks_uri);
  refuseDowngrade(url, keySetUrl);
  return keySetUrl;
}

/** 4.1: a trailing slash of the issuer is removed, a path stays. */
function discoveryUrl(issuer: string): URL {
  if (!/^https?:\/\/[^?#]+$/i.test(issuer)) {
    throw new KeySetError('issuer-not-url', `issuer ${quoted(issuer)} is no URL to discover keys from; name a jwksUri`);
  }
  return parseTargetUrl(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
}

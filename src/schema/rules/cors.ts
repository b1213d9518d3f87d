import type { JsonPath } from '../../diagnostics/span.ts';
import type { CorsPolicy, StringMatch } from '../../policy/virtual-service.ts';
import type { Report } from '../rule.ts';

/** Envoy echoes the origin that matches: with credentials, pages of any site then act as their visitor. */
export function checkCors(policy: CorsPolicy | undefined, path: JsonPath, report: Report): void {
  if (policy?.allowCredentials !== true) return;
  for (const [i, origin] of (policy.allowOrigins ?? []).entries()) {
    const open = Object.entries(origin).find(([kind, text]) => isOpen(kind as keyof StringMatch, String(text)));
    if (open !== undefined)
      report('credentials-for-every-origin', [...path, 'allowOrigins', i, open[0]], { value: String(open[1]) });
  }
  for (const [i, origin] of (policy.allowOrigin ?? []).entries()) {
    if (isOpen('exact', origin)) report('credentials-for-every-origin', [...path, 'allowOrigin', i], { value: origin });
  }
}

/** Whether about every origin (RFC 6454: scheme, host, port) matches. */
function isOpen(kind: keyof StringMatch, text: string): boolean {
  switch (kind) {
    case 'exact':
      return text === '*';
    case 'prefix':
      return 'https://'.startsWith(text) || text === 'http://';
    default:
      return /^\^?(https\??:\/\/|http:\/\/|\(https\?\|http\):\/\/)?(\(\?:)?\.[*+]\)?\$?$/.test(text);
  }
}

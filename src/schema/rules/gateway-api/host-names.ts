import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Report } from '../../rule.ts';

/** In the Gateway API a star stands for the first labels of a name alone; a name without a dot would be that of a Service. */
export function checkHostName(name: string, path: JsonPath, report: Report): void {
  if (/^(\*\.)?[^*]+$/.test(name) && name.includes('.')) return;
  const field = String(path.findLast((step) => typeof step === 'string'));
  const expected = 'a host name with a dot, or a wildcard such as "*.example.com"';
  report('invalid-host-name', path, { field, value: name, expected });
}

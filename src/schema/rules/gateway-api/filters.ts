import type { JsonPath } from '../../../diagnostics/span.ts';
import type { HeaderModifier, PathModifier, RouteFilter } from '../../../policy/gateway-api.ts';
import type { Report } from '../../rule.ts';

/** The field of each type of filter. */
const fields = {
  RequestHeaderModifier: 'requestHeaderModifier',
  ResponseHeaderModifier: 'responseHeaderModifier',
  RequestMirror: 'requestMirror',
  RequestRedirect: 'requestRedirect',
  URLRewrite: 'urlRewrite',
} as const;

/** A filter has the field of its type and no other, and each type but RequestMirror is there once. */
export function checkFilters(filters: readonly RouteFilter[], path: JsonPath, report: Report): void {
  for (const [i, filter] of filters.entries()) {
    const place = [...path, i];
    const wanted = fields[filter.type as keyof typeof fields];
    if (filter[wanted] === undefined) {
      report('missing-field', place, { field: wanted, where: `a filter of type ${filter.type}` });
    }
    for (const field of Object.values(fields)) {
      if (field === wanted || filter[field] === undefined) continue;
      report('unknown-field', [...place, field], { field, where: `a filter of type ${filter.type}` }, { part: 'key' });
    }
    if (wanted !== 'requestMirror' && filters.findIndex(({ type }) => type === filter.type) < i) {
      const reason = 'a rule has one filter of this type at most';
      report('invalid-match-value', [...place, 'type'], { field: 'type', value: filter.type, reason });
    }
    checkHeaders(filter.requestHeaderModifier, [...place, 'requestHeaderModifier'], report);
    checkHeaders(filter.responseHeaderModifier, [...place, 'responseHeaderModifier'], report);
    checkPath(filter.urlRewrite?.path, [...place, 'urlRewrite', 'path'], report);
  }
}

function checkHeaders(modifier: HeaderModifier = {}, path: JsonPath, report: Report): void {
  const { set = [], add = [], remove = [] } = modifier;
  const checkName = (name: string, place: JsonPath): void => {
    if (name.toLowerCase() !== 'host') return;
    report('unsupported-field', place, {
      field: name,
      reason: 'the host is changed by a filter URLRewrite ("hostname")',
    });
  };
  for (const [field, headers] of Object.entries({ set, add })) {
    const seen = new Map<string, string>();
    for (const [i, { name }] of headers.entries()) {
      const place = [...path, field, i, 'name'];
      checkName(name, place);
      const other = seen.get(name.toLowerCase());
      if (other !== undefined) report('repeated-header-name', place, { name, other });
      seen.set(name.toLowerCase(), name);
    }
  }
  for (const [i, name] of remove.entries()) checkName(name, [...path, 'remove', i]);
}

function checkPath(modifier: PathModifier | undefined, path: JsonPath, report: Report): void {
  if (modifier === undefined) return;
  const { type, replaceFullPath, replacePrefixMatch } = modifier;
  const [wanted, other] =
    type === 'ReplaceFullPath'
      ? (['replaceFullPath', 'replacePrefixMatch'] as const)
      : (['replacePrefixMatch', 'replaceFullPath'] as const);
  if (modifier[wanted] === undefined) report('missing-field', path, { field: wanted, where: `a path of type ${type}` });
  if (modifier[other] !== undefined) {
    report('unknown-field', [...path, other], { field: other, where: `a path of type ${type}` }, { part: 'key' });
  }
  for (const [field, value] of Object.entries({ replaceFullPath, replacePrefixMatch })) {
    if (!value || (value.startsWith('/') && !/[?#]/.test(value))) continue;
    const reason = value.startsWith('/') ? 'a path has neither "?" nor "#"' : 'paths begin with "/"';
    report('path-of-no-request', [...path, field], { path: value, reason });
  }
}

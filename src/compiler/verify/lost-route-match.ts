import type { Fragment } from '../../envoy/api/fragment.ts';
import type { PathMatchIR, RouteMatchIR, ValueMatchIR } from '../ir/route-match.ts';
import type { StringMatchIR } from '../ir/string-match.ts';
import { expectList, type Lose } from './expect.ts';

/** Which requests take a route: neither more nor fewer than the IR says. */
export function routeMatchLosses(match: Fragment, ir: RouteMatchIR, lose: Lose): void {
  const { headers = [], withoutHeaders = [], queryParameters = [] } = ir;
  const path = pathText(match);
  if (path !== wantedPath(ir.path)) lose(match, `match is ${path}, not ${wantedPath(ir.path)}`);
  const wantedHeaders = [
    ...headers.map((condition) => wantedValue(condition)),
    ...withoutHeaders.map((condition) => `not ${wantedValue(condition)}`),
  ];
  expectList(match.at('headers'), match.at('headers').items.map(headerText), wantedHeaders, lose);
  const parameters = match.at('query_parameters');
  expectList(parameters, parameters.items.map(valueText), queryParameters.map(wantedValue), lose);
  for (const field of match.fields) {
    if (!known.has(field)) lose(match.at(field), `no rule asks for ${field}`);
  }
}

const known = new Set(['prefix', 'path', 'safe_regex', 'case_sensitive', 'headers', 'query_parameters']);

function pathText(match: Fragment): string {
  const kinds = ['prefix', 'path', 'safe_regex'].filter((field) => match.at(field).exists);
  const values = kinds.map((field) => (field === 'safe_regex' ? match.at(field, 'regex') : match.at(field)).value);
  const ignoresCase = match.at('case_sensitive').value === false ? ' in any case' : '';
  return `${kinds.join(' and ')} ${JSON.stringify(values[0])}${ignoresCase}`;
}

function wantedPath({ kind, value, ignoreCase }: PathMatchIR): string {
  const field = { prefix: 'prefix', exact: 'path', regex: 'safe_regex' }[kind];
  return `${field} ${JSON.stringify(value)}${ignoreCase === true ? ' in any case' : ''}`;
}

/** An inverted matcher that takes no absent header for an empty one says something else. */
function headerText(header: Fragment): string {
  const isInverted = header.at('invert_match').value === true;
  const isEmptyWhenMissing = header.at('treat_missing_header_as_empty').value === true;
  const isConsistent = isEmptyWhenMissing === (isInverted && !header.at('present_match').exists);
  return `${isInverted ? 'not ' : ''}${valueText(header)}${isConsistent ? '' : ' (missing ones apart)'}`;
}

function valueText(condition: Fragment): string {
  const name = String(condition.at('name').value);
  if (condition.at('present_match').value === true) return `${name} present`;
  const matcher = condition.at('string_match');
  const kinds = ['exact', 'prefix', 'suffix', 'contains', 'safe_regex'].filter((field) => matcher.at(field).exists);
  const [kind = 'nothing'] = kinds;
  const value = kind === 'safe_regex' ? matcher.at(kind, 'regex').value : matcher.at(kind).value;
  const ignoresCase = matcher.at('ignore_case').value === true;
  return `${name} ${kinds.length > 1 ? kinds.join(' and ') : kind} ${JSON.stringify(value)}${ignoresCase ? ' in any case' : ''}`;
}

function wantedValue({ name, match }: ValueMatchIR): string {
  return match === 'present' ? `${name} present` : `${name} ${matchText(match)}`;
}

function matchText({ kind, value, ignoreCase }: StringMatchIR): string {
  const field = kind === 'regex' ? 'safe_regex' : kind;
  return `${field} ${JSON.stringify(value)}${ignoreCase === true ? ' in any case' : ''}`;
}

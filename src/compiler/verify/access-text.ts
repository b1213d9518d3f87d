import type { Fragment } from '../../envoy/api/fragment.ts';
import type { HeaderMatchIR, PermissionIR, PrincipalIR } from '../ir/rbac.ts';
import type { StringMatchIR } from '../ir/string-match.ts';

const tokenFilter = 'envoy.filters.http.jwt_authn';

type Expression = PermissionIR | PrincipalIR;

/** One text for each meaning, so that what was asked for and what came out can be compared. */
export function askedText(expression: Expression): string {
  switch (expression.kind) {
    case 'any':
      return 'any';
    case 'all':
    case 'some':
      return `${expression.kind}(${expression.of.map(askedText).join(', ')})`;
    case 'not':
      return `not(${askedText(expression.of)})`;
    case 'header':
      return headerText(expression.name, matchText(expression.match));
    case 'path':
    case 'server-name':
    case 'identity':
      return `${expression.kind} ${matchText(expression.match)}`;
    case 'path-template':
      return `path-template ${JSON.stringify(expression.template)}`;
    case 'destination-port':
      return `destination-port ${expression.port}`;
    case 'destination-ip':
    case 'direct-remote-ip':
    case 'remote-ip':
      return `${expression.kind} ${expression.cidr}`;
    case 'claim': {
      const text = matchText(expression.match);
      const value = expression.inList ? `(list ${text} or ${text})` : text;
      return metadataText(tokenFilter, ['payload', ...expression.path], value);
    }
    case 'token-part': {
      const { path, match } = expression;
      return metadataText(tokenFilter, path, match === 'present' ? match : rangeText(match.from, match.below));
    }
    case 'metadata': {
      const text = matchText(expression.match);
      return metadataText(expression.filter, expression.path, expression.inList ? `list ${text}` : text);
    }
  }
}

/** The same of Envoy's Permission or Principal; what is not known here equals nothing. */
export function foundText(expression: Fragment): string {
  const [field = '', ...others] = expression.fields;
  const value = expression.at(field);
  if (others.length > 0) return unknown(expression);
  switch (field) {
    case 'any':
      return value.value === true ? 'any' : unknown(expression);
    case 'and_rules':
    case 'and_ids':
      return `all(${membersOf(value)})`;
    case 'or_rules':
    case 'or_ids':
      return `some(${membersOf(value)})`;
    case 'not_rule':
    case 'not_id':
      return `not(${foundText(value)})`;
    case 'header':
      return foundHeader(value);
    case 'url_path':
      return `path ${foundMatch(value.at('path'))}`;
    case 'requested_server_name':
      return `server-name ${foundMatch(value)}`;
    case 'uri_template':
      return `path-template ${JSON.stringify(value.at('typed_config', 'path_template').value)}`;
    case 'custom':
      return foundIdentity(value.at('typed_config'));
    case 'destination_port':
      return `destination-port ${String(value.value)}`;
    case 'destination_ip':
    case 'direct_remote_ip':
    case 'remote_ip':
      return `${field.replaceAll('_', '-')} ${blockText(value)}`;
    case 'sourced_metadata':
      return value.fields.join() === 'metadata_matcher' ? foundMetadata(value.at('metadata_matcher')) : unknown(value);
    default:
      return unknown(expression);
  }
}

function membersOf(set: Fragment): string {
  const [list = ''] = set.fields;
  return set.at(list).items.map(foundText).join(', ');
}

function matchText(match: StringMatchIR | 'present'): string {
  if (match === 'present') return 'present';
  return `${match.kind} ${JSON.stringify(match.value)}${match.ignoreCase === true ? ' in any case' : ''}`;
}

function rangeText(from: unknown, below: unknown): string {
  return `from ${String(from)} to below ${String(below)}`;
}

function foundMatch(matcher: Fragment): string {
  const kinds = matcher.fields.filter((field) => field !== 'ignore_case');
  const [kind = ''] = kinds;
  if (kinds.length !== 1) return unknown(matcher);
  const isRegex = kind === 'safe_regex';
  const text = isRegex ? matcher.at(kind, 'regex') : matcher.at(kind);
  const inAnyCase = matcher.at('ignore_case').value === true ? ' in any case' : '';
  return `${isRegex ? 'regex' : kind} ${JSON.stringify(text.value)}${inAnyCase}`;
}

function headerText(name: string, match: HeaderMatchIR['name']): string {
  return `header ${JSON.stringify(name)} ${match}`;
}

function foundHeader(header: Fragment): string {
  const name = String(header.at('name').value);
  const [kind = '', ...others] = header.fields.filter((field) => field !== 'name');
  if (others.length > 0) return unknown(header);
  if (kind === 'present_match' && header.at(kind).value === true) return headerText(name, 'present');
  return kind === 'string_match' ? headerText(name, foundMatch(header.at(kind))) : unknown(header);
}

const mtlsAuthenticated = 'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config';

function foundIdentity(config: Fragment): string {
  const [, field = '', ...others] = ['', ...config.fields.filter((name) => name !== '@type')];
  if (config.type !== mtlsAuthenticated || others.length > 0) return unknown(config);
  const value = config.at(field);
  if (field === 'any_validated_client_certificate') return value.value === true ? 'identity present' : unknown(config);
  const isUri = field === 'san_matcher' && value.at('san_type').value === 'URI';
  return isUri ? `identity ${foundMatch(value.at('matcher'))}` : unknown(config);
}

function metadataText(filter: string, path: readonly string[], value: string): string {
  return `metadata ${JSON.stringify([filter, ...path])} ${value}`;
}

function foundMetadata(matcher: Fragment): string {
  if (matcher.at('invert').exists) return unknown(matcher);
  const path = matcher.at('path').items.map((segment) => String(segment.at('key').value));
  return metadataText(String(matcher.at('filter').value), path, foundValue(matcher.at('value')));
}

function foundValue(value: Fragment): string {
  const [kind = '', ...others] = value.fields;
  if (others.length > 0) return unknown(value);
  if (kind === 'string_match') return foundMatch(value.at(kind));
  if (kind === 'present_match') return value.at(kind).value === true ? 'present' : unknown(value);
  if (kind === 'double_match') return foundRange(value.at(kind));
  if (kind === 'list_match') return `list ${foundValue(value.at(kind, 'one_of'))}`;
  if (kind !== 'or_match') return unknown(value);
  return `(${value.at(kind, 'value_matchers').items.map(foundValue).join(' or ')})`;
}

/** A field that is left out is 0. */
function foundRange(number: Fragment): string {
  const range = number.at('range');
  const isKnown = range.exists && number.fields.length === 1;
  return isKnown ? rangeText(range.at('start').value ?? 0, range.at('end').value ?? 0) : unknown(number);
}

function blockText(block: Fragment): string {
  return `${String(block.at('address_prefix').value)}/${String(block.at('prefix_len').value ?? 0)}`;
}

function unknown({ value }: Fragment): string {
  return `unknown ${JSON.stringify(value)}`;
}

import { Fragment } from '../../envoy/api/fragment.ts';
import { AddressBlock } from '../model/address-block.ts';
import type { StringMatch } from '../model/string-match.ts';
import { UriTemplate } from '../model/uri-template.ts';
import {
  type HeaderMatch,
  liftHeaderMatch,
  liftMetadataMatch,
  liftStringMatch,
  type MetadataMatch,
} from './matchers.ts';
import { Gaps, Message } from './message.ts';

/** A test of one property of a request, and its place in the configuration. */
export type Leaf = { readonly at: Fragment } & (
  | { readonly kind: 'header'; readonly header: HeaderMatch }
  /** The path without its query, as normalized. */
  | { readonly kind: 'path'; readonly match: StringMatch }
  | { readonly kind: 'path-template'; readonly template: UriTemplate }
  | { readonly kind: 'destination-ip' | 'direct-remote-ip' | 'remote-ip'; readonly block: AddressBlock }
  | { readonly kind: 'destination-port'; readonly port: number }
  | { readonly kind: 'server-name'; readonly match: StringMatch }
  /** A URI SAN of the verified client certificate; `any` is any verified certificate. */
  | { readonly kind: 'identity'; readonly match: StringMatch | 'any' }
  | { readonly kind: 'metadata'; readonly metadata: MetadataMatch }
);

/** A condition of an access rule: Envoy's `Permission` and `Principal` in one form. */
export type Condition =
  | { readonly kind: 'any' }
  | { readonly kind: 'all' | 'some'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | Leaf;

/** One rule of an access filter. */
export interface AccessRule {
  /** Envoy tells it in its log: `ns[…]-policy[…]-rule[…]`. */
  readonly name: string;
  readonly condition: Condition;
  readonly at: Fragment;
  /** Headers that it looks at, lower case, without the method. */
  readonly readsHeaders: readonly string[];
  /** Where it says what is not understood; undefined where all is. */
  readonly gap: string | undefined;
}

/** Rules that an access filter enforces; none if they are only dry runs. */
export interface AccessRules {
  readonly action: 'ALLOW' | 'DENY' | 'LOG';
  /** In the order in which Envoy tries them: by name. */
  readonly rules: readonly AccessRule[];
  readonly at: Fragment;
}

/** An access filter: rules that it enforces, and rules that only leave their verdict for later filters. */
export interface AccessFilter {
  readonly rules: AccessRules | undefined;
  readonly shadow: { readonly rules: AccessRules; readonly prefix: string } | undefined;
}

const rbac = 'envoy.config.rbac.v3';
const core = 'envoy.config.core.v3';

/** Envoy's `RBAC` of the HTTP or the network filter. */
export function liftAccessFilter(message: Message): AccessFilter {
  const liftRules = (field: string): AccessRules | undefined =>
    message.has(field) ? liftAccessRules(message.message(field, `${rbac}.RBAC`)) : undefined;
  const shadow = liftRules('shadow_rules');
  return {
    rules: liftRules('rules'),
    shadow: shadow && { rules: shadow, prefix: message.text('shadow_rules_stat_prefix') },
  };
}

/** Envoy's `RBAC`, the message that the HTTP and the network filter share. */
export function liftAccessRules(message: Message): AccessRules {
  const action = message.has('action') ? message.text('action') : 'ALLOW';
  if (!isAction(action)) message.refuse('action');
  const rules = message.partEntries('policies', `${rbac}.Policy`).map(([name, policy]) => liftRule(name, policy));
  return {
    action: isAction(action) ? action : 'DENY',
    rules: rules.sort((a, b) => (a.name < b.name ? -1 : 1)),
    at: message.fragment,
  };
}

function isAction(action: string): action is AccessRules['action'] {
  return action === 'ALLOW' || action === 'DENY' || action === 'LOG';
}

/** The condition of one `Policy` of Envoy's RBAC that stands alone. */
export function liftCondition(policy: Readonly<Record<string, unknown>>): Condition {
  return liftRule('', new Message(`${rbac}.Policy`, new Fragment(policy), new Gaps())).condition;
}

function liftRule(name: string, policy: Message): AccessRule {
  const permissions = policy.messages('permissions', `${rbac}.Permission`).map(liftPermission);
  const principals = policy.messages('principals', `${rbac}.Principal`).map(liftPrincipal);
  const condition: Condition = { kind: 'all', of: [some(permissions), some(principals)] };
  return { name, condition, readsHeaders: headersRead(condition), at: policy.fragment, gap: policy.gaps.first };
}

/** Names of the headers that a condition looks at, in the order of its leaves; of the method nothing is ever unknown. */
export function headersRead(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'all':
    case 'some':
      return condition.of.flatMap(headersRead);
    case 'not':
      return headersRead(condition.of);
    case 'header':
      return condition.header.name === ':method' ? [] : [condition.header.name];
    default:
      return [];
  }
}

function some(of: readonly Condition[]): Condition {
  const [only] = of;
  return of.length === 1 && only !== undefined ? only : { kind: 'some', of };
}

function liftPermission(message: Message): Condition {
  const at = message.fragment;
  const set = (field: string): readonly Condition[] =>
    message.message(field, `${rbac}.Permission.Set`).messages('rules', `${rbac}.Permission`).map(liftPermission);
  if (message.has('and_rules')) return { kind: 'all', of: set('and_rules') };
  if (message.has('or_rules')) return { kind: 'some', of: set('or_rules') };
  if (message.has('not_rule')) {
    return { kind: 'not', of: liftPermission(message.message('not_rule', `${rbac}.Permission`)) };
  }
  if (message.has('url_path')) {
    const path = message.message('url_path', 'envoy.type.matcher.v3.PathMatcher');
    return { kind: 'path', at, match: liftStringMatch(path.message('path', 'envoy.type.matcher.v3.StringMatcher')) };
  }
  if (message.has('uri_template')) return { kind: 'path-template', at, template: liftTemplate(message) };
  if (message.has('destination_ip')) return { kind: 'destination-ip', at, block: liftBlock(message, 'destination_ip') };
  if (message.has('destination_port')) {
    return { kind: 'destination-port', at, port: message.number('destination_port') ?? 0 };
  }
  if (message.has('requested_server_name')) {
    const name = message.message('requested_server_name', 'envoy.type.matcher.v3.StringMatcher');
    return { kind: 'server-name', at, match: liftStringMatch(name) };
  }
  return liftShared(message);
}

function liftPrincipal(message: Message): Condition {
  const at = message.fragment;
  const set = (field: string): readonly Condition[] =>
    message.message(field, `${rbac}.Principal.Set`).messages('ids', `${rbac}.Principal`).map(liftPrincipal);
  if (message.has('and_ids')) return { kind: 'all', of: set('and_ids') };
  if (message.has('or_ids')) return { kind: 'some', of: set('or_ids') };
  if (message.has('not_id')) {
    return { kind: 'not', of: liftPrincipal(message.message('not_id', `${rbac}.Principal`)) };
  }
  if (message.has('direct_remote_ip')) {
    return { kind: 'direct-remote-ip', at, block: liftBlock(message, 'direct_remote_ip') };
  }
  if (message.has('remote_ip')) return { kind: 'remote-ip', at, block: liftBlock(message, 'remote_ip') };
  if (message.has('custom')) return liftIdentity(message);
  return liftShared(message);
}

/** What may stand on both sides. */
function liftShared(message: Message): Condition {
  const at = message.fragment;
  if (message.flag('any')) return { kind: 'any' };
  if (message.has('header')) {
    return {
      kind: 'header',
      at,
      header: liftHeaderMatch(message.message('header', 'envoy.config.route.v3.HeaderMatcher')),
    };
  }
  if (message.has('sourced_metadata')) {
    const sourced = message.message('sourced_metadata', `${rbac}.SourcedMetadata`);
    const metadata = sourced.message('metadata_matcher', 'envoy.type.matcher.v3.MetadataMatcher');
    return { kind: 'metadata', at, metadata: liftMetadataMatch(metadata) };
  }
  message.gaps.note(at);
  return { kind: 'some', of: [] };
}

function liftIdentity(message: Message): Condition {
  const at = message.fragment;
  const config = message.message('custom', `${core}.TypedExtensionConfig`).any('typed_config');
  const isIdentity = config?.type === 'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config';
  if (config === undefined || !isIdentity) {
    message.refuse('custom');
    return { kind: 'some', of: [] };
  }
  if (config.flag('any_validated_client_certificate')) return { kind: 'identity', at, match: 'any' };
  const san = config.message('san_matcher', 'envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher');
  if (san.text('san_type') !== 'URI') san.refuse('san_type');
  return {
    kind: 'identity',
    at,
    match: liftStringMatch(san.message('matcher', 'envoy.type.matcher.v3.StringMatcher')),
  };
}

function liftTemplate(message: Message): UriTemplate {
  const config = message.message('uri_template', `${core}.TypedExtensionConfig`).any('typed_config');
  const isTemplate = config?.type === 'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig';
  if (config === undefined || !isTemplate) message.refuse('uri_template');
  return new UriTemplate(isTemplate ? (config?.text('path_template') ?? '') : '');
}

function liftBlock(message: Message, field: string): AddressBlock {
  const range = message.message(field, `${core}.CidrRange`);
  return new AddressBlock(range.text('address_prefix'), range.number('prefix_len') ?? 0);
}

import { byDefault } from '../../../testing/ir.ts';
import type { ExtAuthzIR } from '../../ir/ext-authz.ts';
import type { PermissionIR, PrincipalIR, RbacIR } from '../../ir/rbac.ts';

const text = { kind: 'exact', value: 'v' } as const;
const port = { kind: 'destination-port', port: 80 } as const;

/** Every kind of permission that a connection may be asked for. */
const permission: PermissionIR = {
  kind: 'all',
  of: [
    { kind: 'some', of: [port, { kind: 'destination-ip', cidr: '10.0.0.0/8' }] },
    { kind: 'not', of: { kind: 'server-name', match: { ...text, kind: 'suffix', ignoreCase: true } } },
    { kind: 'metadata', filter: 'envoy.filters.network.x', path: ['a'], match: text, inList: true },
  ],
};
const httpPermission: PermissionIR = {
  kind: 'all',
  of: [
    permission,
    { kind: 'path', match: { kind: 'regex', value: '/a.*' } },
    { kind: 'path-template', template: '/a/*' },
    { kind: 'header', name: ':method', match: { ...text, ignoreCase: true } },
    { kind: 'header', name: 'x-a', match: 'present' },
  ],
};
const principal: PrincipalIR = {
  kind: 'some',
  of: [
    { kind: 'identity', match: { kind: 'prefix', value: 'spiffe://td/' } },
    { kind: 'identity', match: 'present' },
    { kind: 'direct-remote-ip', cidr: '10.0.0.1/32' },
    { kind: 'not', of: { kind: 'remote-ip', cidr: 'fd00::/8' } },
    { kind: 'any' },
  ],
};
const httpPrincipal: PrincipalIR = {
  kind: 'all',
  of: [
    principal,
    { kind: 'claim', path: ['a', 'b'], match: { kind: 'contains', value: 'v' }, inList: true },
    { kind: 'claim', path: ['iss'], match: text, inList: false },
    { kind: 'token-part', path: ['header', 'crit'], match: 'present' },
    { kind: 'token-part', path: ['payload', 'exp'], match: { kind: 'range', from: -1, below: 1 } },
  ],
};

/** A filter of one policy in force, and of the same one on trial. */
function rules(action: RbacIR['action'], name: string, asks: PermissionIR, who: PrincipalIR): RbacIR {
  const policy = { name, permission: asks, principal: who, origins: byDefault };
  return {
    kind: 'rbac',
    action,
    policies: [policy],
    shadow: { policies: [{ ...policy, name: `${name} tried` }], statPrefix: 'p_' },
    origins: byDefault,
  };
}

/** An authorizer that is asked over gRPC, with the body. */
export const asked: ExtAuthzIR = {
  kind: 'ext-authz',
  provider: 'opa',
  authorizer: { protocol: 'grpc', cluster: 'authorizer', timeoutMs: 1000, authority: 'opa.a' },
  shadowStatPrefix: 'p_',
  policyPrefix: 'opa-',
  failOpen: false,
  statusOnError: 403,
  clearRouteCache: true,
  requestBody: { maxBytes: 10, allowPartial: true, asBytes: true },
  origins: byDefault,
};
/** One that is asked over HTTP, with every field, and that lets in when it is away. */
export const askedOverHttp: ExtAuthzIR = {
  ...asked,
  failOpen: true,
  statusOnError: 503,
  clearRouteCache: false,
  authorizer: {
    protocol: 'http',
    cluster: 'authorizer',
    timeoutMs: 1000,
    uri: 'http://opa.a:80',
    pathPrefix: '/check',
    headersToAuthorizer: [text],
    headersToAdd: [{ name: 'x-from', value: 'mesh' }],
    headersToUpstream: [text],
    headersToDownstreamOnAllow: [{ ...text, kind: 'prefix' }],
    headersToDownstreamOnDeny: [{ ...text, kind: 'suffix' }],
  },
};

/** A filter of every kind, for requests. */
export const httpFilters = [
  rules('LOG', 'ns[a]-audited', httpPermission, httpPrincipal),
  asked,
  askedOverHttp,
  rules('DENY', 'ns[a]-denied', httpPermission, httpPrincipal),
  rules('ALLOW', 'ns[a]-allowed', permission, principal),
];
/** For connections. */
export const networkFilters = [rules('DENY', 'ns[a]-denied', permission, principal), asked];

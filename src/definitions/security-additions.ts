import { conditionKeyPattern } from '../schema/rules/conditions.ts';
import { each, forbidden, isAnyThere, isSet, rules, schema, selectors } from './addition.ts';
import { quoted, type ServerRule } from './server-rule.ts';
import type { Additions } from './structural-schema.ts';
import { requestPath, starAtOneEnd } from './text-patterns.ts';

const accountExcludes = ['principals', 'notPrincipals', 'namespaces', 'notNamespaces'] as const;

/** A service account already says namespace and principal. */
const accountsAlone: readonly ServerRule[] = ['serviceAccounts', 'notServiceAccounts'].map((field) => ({
  rule: `!has(self.${field}) || !${isAnyThere(accountExcludes)}`,
  message: `"${field}" excludes ${quoted(accountExcludes)}`,
}));

const isGateway: ServerRule = {
  rule: "self.kind == 'Gateway' && has(self.group) && self.group == 'gateway.networking.k8s.io'",
  message: 'expected the kind Gateway of gateway.networking.k8s.io',
  fieldPath: '.kind',
};

/** A policy is bound to Gateways alone. */
const targets: Additions = { targetRef: rules(isGateway), 'targetRefs[]': rules(isGateway) };

/** Validation of AuthorizationPolicy that an API server can do. */
export const authorizationPolicy: Additions = {
  ...selectors,
  ...targets,
  spec: rules(
    {
      rule: "!has(self.action) || !(self.action in ['DENY', 'CUSTOM']) || (has(self.rules) && size(self.rules) > 0)",
      message: 'actions DENY and CUSTOM need at least one rule',
      fieldPath: '.rules',
      reason: 'FieldValueRequired',
    },
    {
      rule: "!has(self.action) || self.action != 'CUSTOM' || has(self.provider)",
      message: 'action CUSTOM needs a provider',
      fieldPath: '.provider',
      reason: 'FieldValueRequired',
    },
    forbidden(
      'provider',
      "!has(self.provider) || (has(self.action) && self.action == 'CUSTOM')",
      'only action CUSTOM has a provider',
    ),
  ),
  source: rules(...accountsAlone),
  'when[].key': schema({ pattern: conditionKeyPattern }),
  'when[]': rules({
    rule: "self.key != 'request.headers[:path]'",
    message: 'a path is matched with "paths" of an operation, not with the header ":path"',
    fieldPath: '.key',
  }),
  ...each(['source.principals[]', 'source.namespaces[]', 'operation.hosts[]'], { pattern: starAtOneEnd }),
  ...each(['source.notPrincipals[]', 'source.notNamespaces[]', 'operation.notHosts[]'], { pattern: starAtOneEnd }),
  ...each(['operation.paths[]', 'operation.notPaths[]'], { pattern: requestPath }),
};

/** Validation of PeerAuthentication that an API server can do. */
export const peerAuthentication: Additions = {
  ...selectors,
  spec: rules(
    forbidden(
      'portLevelMtls',
      '!has(self.portLevelMtls) || (has(self.selector) && has(self.selector.matchLabels) && size(self.selector.matchLabels) > 0)',
      '"portLevelMtls" needs a selector with labels',
    ),
  ),
};

/** Validation of RequestAuthentication that an API server can do. */
export const requestAuthentication: Additions = {
  ...selectors,
  ...targets,
  'jwtRules[]': rules({
    rule: `${isSet('issuer')} || ${isSet('jwksUri')}`,
    message: 'one of these is needed: issuer, jwksUri',
    fieldPath: '.issuer',
    reason: 'FieldValueRequired',
  }),
};

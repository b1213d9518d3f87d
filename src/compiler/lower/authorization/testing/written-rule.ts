import type { AuthorizationAction, AuthorizationRule, Source } from '../../../../policy/authorization-policy.ts';
import * as make from '../../../../testing/objects.ts';
import type { PermissionIR, PrincipalIR } from '../../../ir/rbac.ts';
import type { StringMatchIR } from '../../../ir/string-match.ts';
import { rulesOf } from '../authorization.ts';
import { anyPort } from '../chain-ports.ts';

type Expression = PermissionIR | PrincipalIR;

interface Options {
  readonly action?: AuthorizationAction;
  readonly carries?: 'http' | 'tcp';
  readonly trustDomains?: readonly string[];
  readonly isGateway?: boolean;
}

/** What one rule of `shop/p` becomes: permission and principal. */
export function lowered(rule: AuthorizationRule, options: Options = {}): string[] {
  const { action = 'ALLOW', carries = 'http', trustDomains = ['td'], isGateway = false } = options;
  const policy = make.authorizationPolicy('shop/p', { action, rules: [rule] });
  const context = { carries, ports: anyPort, trustDomains, isGateway };
  return rulesOf([policy], action, context).flatMap(({ permission, principal }) => [
    written(permission),
    written(principal),
  ]);
}

/** One line for a permission or principal, so that tables can be read. */
function written(term: Expression): string {
  switch (term.kind) {
    case 'any':
      return 'any';
    case 'all':
      return `(${term.of.map(written).join(' & ')})`;
    case 'some':
      return `(${term.of.map(written).join(' | ')})`;
    case 'not':
      return `!${written(term.of)}`;
    case 'header':
      return `${term.name} ${text(term.match)}`;
    case 'path-template':
      return `template ${term.template}`;
    case 'destination-port':
      return `port ${term.port}`;
    case 'destination-ip':
    case 'direct-remote-ip':
    case 'remote-ip':
      return `${term.kind} ${term.cidr}`;
    case 'claim':
    case 'metadata':
      return `${term.path.join('.')}${term.inList ? '[]' : ''} ${text(term.match)}`;
    case 'token-part':
      return term.path.join('.');
    default:
      return `${term.kind} ${text(term.match)}`;
  }
}

function text(match: StringMatchIR | 'present'): string {
  return match === 'present' ? match : `${match.kind}${match.ignoreCase ? '-i' : ''} ${match.value}`;
}

/** A rule for one kind of source. */
export const source = (fields: Source): AuthorizationRule => ({ from: [{ source: fields }] });

/** A rule with one condition. */
export const condition = (key: string, value: string): AuthorizationRule => ({ when: [{ key, values: [value] }] });

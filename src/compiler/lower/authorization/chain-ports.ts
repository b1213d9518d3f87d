import type {
  AuthorizationPolicy,
  AuthorizationRule,
  Condition,
  Operation,
} from '../../../policy/authorization-policy.ts';

/** The destination ports whose connections reach a chain: one, or all but those that have chains of their own. */
export type ChainPorts = { readonly only: number } | { readonly allBut: readonly number[] };

/** A chain of which nothing is known. */
export const anyPort: ChainPorts = { allBut: [] };

/**
 * What of a rule can match on a chain; undefined when nothing can. Ports that never come there are left out, so that a
 * chain changes, and cuts its connections, only with rules that concern it.
 */
export function ruleOnPorts(rule: AuthorizationRule, ports: ChainPorts): AuthorizationRule | undefined {
  if (!namesPorts(rule)) return rule;
  const { to, when = [], ...rest } = rule;
  const operations = to?.flatMap(({ operation }) => {
    const own = operationOn(operation, ports);
    return own === undefined ? [] : [{ operation: own }];
  });
  const conditions = when.map((condition) => conditionOn(condition, ports));
  if (operations?.length === 0 || conditions.includes(undefined)) return undefined;
  return {
    ...rest,
    ...(operations === undefined ? {} : { to: operations }),
    when: conditions.filter((condition) => condition?.values !== undefined || condition?.notValues !== undefined),
  } as AuthorizationRule;
}

/** Whether any rule of the policies compares the destination port. */
export function areAboutPorts(policies: readonly AuthorizationPolicy[]): boolean {
  return policies.some(({ spec }) => spec.rules?.some(namesPorts));
}

const portKey = 'destination.port';

function namesPorts({ to = [], when = [] }: AuthorizationRule): boolean {
  return to.some(({ operation }) => operation.ports ?? operation.notPorts) || when.some(({ key }) => key === portKey);
}

function operationOn({ ports, notPorts, ...rest }: Operation, chain: ChainPorts): Operation | undefined {
  const kept = keptOn(chain, ports, notPorts);
  if (kept === undefined) return undefined;
  const { values, notValues } = kept;
  return { ...rest, ...(values && { ports: values }), ...(notValues && { notPorts: notValues }) };
}

function conditionOn(condition: Condition, chain: ChainPorts): Condition | undefined {
  if (condition.key !== portKey) return condition;
  const kept = keptOn(chain, condition.values, condition.notValues);
  return kept && { key: portKey, ...kept };
}

/** The ports that come to the chain, of those accepted and those refused; undefined when none is left that may match. */
function keptOn(
  chain: ChainPorts,
  accepted: readonly string[] | undefined,
  refused: readonly string[] | undefined,
): Pick<Condition, 'values' | 'notValues'> | undefined {
  const comes = (port: string): boolean =>
    'only' in chain ? chain.only === Number(port) : !chain.allBut.includes(Number(port));
  const values = accepted?.filter(comes);
  const notValues = refused?.filter(comes) ?? [];
  if (values?.length === 0 || ('only' in chain && notValues.length > 0)) return undefined;
  return { ...(values && { values }), ...(notValues.length > 0 && { notValues }) };
}

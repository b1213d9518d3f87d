import type { Expectation, WrittenRequest } from '../../config/policy-test.ts';
import type { AssumedWorkload } from '../assumed-workload.ts';

/** A request and its verdict of today. */
export interface FirstRow {
  readonly name: string;
  readonly request: WrittenRequest;
  readonly expect: Expectation;
}

/** The cases of one rule, of tokens or of a mode of mutual TLS: requests that it is content with, and requests just outside. */
export interface FirstRule {
  /** `AuthorizationPolicy shop/cart spec.rules[0]` */
  readonly name: string;
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly inside: readonly FirstRow[];
  readonly outside: readonly FirstRow[];
  /** What of it no request was found for, a line each. */
  readonly open: readonly string[];
}

/** What a first test is written from. */
export interface FirstTest {
  readonly inputs: readonly string[];
  readonly workloads: readonly AssumedWorkload[];
  readonly rules: readonly FirstRule[];
}

/** The text of a PolicyTest, with comments for those who read its verdicts. */
export function formatFirstTest({ inputs, workloads, rules }: FirstTest): string {
  const lines = [
    '# Written by "meshpol test --init" from the policies as they are: each "expect" is the verdict of that day, and nobody has said',
    '# that it is the right one. Read each case: if its verdict is wrong, correct "expect", and then the policy.',
    'apiVersion: meshpol/v1',
    'kind: PolicyTest',
    'metadata: {name: policies}',
    'spec:',
    `  inputs: ${flow(inputs)}`,
    ...(workloads.length === 0
      ? []
      : ['  # The inputs lack them.', '  workloads:', ...workloads.map((one) => `    - ${flow(workloadFields(one))}`)]),
    '  cases:',
    ...rules.flatMap(ruleLines),
  ];
  return `${lines.join('\n')}\n`;
}

function ruleLines({ name, file, line, inside, outside, open }: FirstRule): readonly string[] {
  const table = (title: string, rows: readonly FirstRow[]): readonly string[] =>
    rows.length === 0
      ? []
      : [`    - name: ${flow(title)}`, '      table:', ...rows.map((row) => `        - ${flow(inOrder(row))}`)];
  return [
    `    # ${file}:${line}`,
    ...open.map((what) => `    # No request was found for this: ${what.replaceAll(/\s+/g, ' ')}`),
    ...table(name, inside),
    ...table(`just outside ${name}`, outside),
  ];
}

const order = [
  'from',
  'address',
  'sni',
  'to',
  'protocol',
  'method',
  'path',
  'host',
  'headers',
  'claims',
  'authorizer',
] as const;

function inOrder({ name, request, expect }: FirstRow): object {
  const fields = order.flatMap((field) => (request[field] === undefined ? [] : [[field, request[field]] as const]));
  return { name, request: Object.fromEntries(fields), expect };
}

function workloadFields({ namespace, name, labels, account, ports, proxy }: AssumedWorkload): object {
  const listed = ports.map(({ number, protocol }) => (protocol === undefined ? number : `${protocol}:${number}`));
  return {
    name: `${namespace}/${name}`,
    labels,
    account,
    ...(listed.length > 0 && { ports: listed }),
    ...(proxy !== 'sidecar' && { proxy }),
  };
}

/** YAML on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${flow(key)}: ${flow(member)}`);
    return `{${members.join(', ')}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain =
    /^[A-Za-z/.][\w/.-]*(?: [\w/.-]+)*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

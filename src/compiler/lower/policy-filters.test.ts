import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { AuthorizationPolicy, AuthorizationRule } from '../../policy/authorization-policy.ts';
import { runs } from '../../testing/effort.ts';
import * as make from '../../testing/objects.ts';
import { clientScope, effective, effectiveOutbound, meshService, meshWorkload, ports } from '../../testing/topology.ts';
import type { RbacIR } from '../ir/rbac.ts';
import type { ChainPorts } from './authorization/chain-ports.ts';
import { Memo } from './memo.ts';
import { policyFilters } from './policy-filters.ts';

const service = meshService('a/httpbin', { ports: ports('8000/http', '9000/tcp') });
const workload = meshWorkload('a/httpbin', [service]);

/** Filters of a chain of the workload, and what was said; with one memo, call after call, as one compiler does. */
function lowering(memo = new Memo()) {
  const lower = (policies: readonly AuthorizationPolicy[], of = workload) => {
    const bag = new DiagnosticBag();
    const answers = { ...effective([effectiveOutbound(service)]), authorizationPolicies: () => policies };
    const bytePorts = of.targets.filter(({ port }) => port.protocol === 'tcp').map(({ targetPort }) => targetPort);
    const input = { effective: answers, scope: clientScope({ namespace: 'a' }), bytePorts };
    const filters = policyFilters(of, input, { settings: defaultSettings, memo }, bag);
    return { filters, told: bag.all };
  };
  const some = (policies: readonly AuthorizationPolicy[], of = workload) => {
    const { filters, told } = lower(policies, of);
    return { filters: filters.on({ allBut: [] }), told };
  };
  return Object.assign(some, { all: (policies: readonly AuthorizationPolicy[]) => lower(policies).filters });
}

const policy = (action: 'ALLOW' | 'DENY' | 'AUDIT', rules: readonly AuthorizationRule[], name: string = action) =>
  make.authorizationPolicy(`a/${name}`, { action, rules });

describe('policyFilters', () => {
  test('gives AUDIT before DENY before ALLOW, on both kinds of chains', () => {
    const { filters } = lowering()([policy('ALLOW', [{}]), policy('DENY', [{}]), policy('AUDIT', [{}])]);
    const actions = (list: readonly { readonly kind: string }[]) => list.map((filter) => (filter as RbacIR).action);
    expect(actions(filters.http)).toEqual(['LOG', 'DENY', 'ALLOW']);
    expect(actions(filters.network)).toEqual(['LOG', 'DENY', 'ALLOW']);
  });

  test('gives the identical filters to workloads with the same policies, and to none the empty ones', () => {
    const lower = lowering();
    const policies = [policy('DENY', [{}])];
    const other = meshWorkload('a/other', [service]);
    expect(lower(policies).filters).toBe(lower(policies, other).filters);
    expect(lower([]).filters).toBe(lower([], other).filters);
  });
});

describe('filters of a chain', () => {
  const on = (ports: readonly string[]): AuthorizationRule => ({ to: [{ operation: { ports } }] });
  const rulesOf = (list: readonly { readonly kind: string }[]) =>
    list.map((filter) => ({ action: (filter as RbacIR).action, rules: (filter as RbacIR).policies?.length }));

  test('have no rules about other ports, and an ALLOW that has none left allows nothing', () => {
    const policies = [policy('ALLOW', [on(['8000'])]), policy('DENY', [on(['8000'])]), policy('AUDIT', [on(['8000'])])];
    const { on: filtersOn } = lowering().all(policies);
    const all = ['LOG', 'DENY', 'ALLOW'].map((action) => ({ action, rules: 1 }));
    const rest = [{ action: 'ALLOW', rules: 0 }];
    expect(rulesOf(filtersOn({ only: 8000 }).http)).toEqual(all);
    expect(rulesOf(filtersOn({ only: 9000 }).network)).toEqual(rest);
    expect(rulesOf(filtersOn({ allBut: [8000, 9000] }).http)).toEqual(rest);
  });

  test('stay as they are when a policy for another port changes, so that Envoy cuts no connection of theirs', () => {
    const both = (path: string) => [
      policy('DENY', [{ to: [{ operation: { ports: ['8000'], paths: [path] } }] }]),
      policy('ALLOW', [on(['8000', path.slice(1)]), on(['9000'])]),
    ];
    const filtersOf = (path: string, ports: ChainPorts) => {
      const { http, network } = lowering().all(both(path)).on(ports);
      return JSON.stringify([http, network], (key, value) => (key === 'origins' ? undefined : value));
    };
    for (const ports of [{ only: 9000 }, { allBut: [7001, 7002, 8000, 9000] }]) {
      expect(filtersOf('/7001', ports)).toBe(filtersOf('/7002', ports));
    }
    expect(filtersOf('/7001', { only: 8000 })).not.toBe(filtersOf('/7002', { only: 8000 }));
  });

  test('are the same object on every chain where no rule is about ports', () => {
    const { on: filtersOn } = lowering().all([policy('DENY', [{}])]);
    expect(filtersOn({ only: 8000 })).toBe(filtersOn({ allBut: [8000] }));
  });
});

/** A value that no other place of the rule has, and what of it must be seen in the output. */
interface Mark {
  readonly value: string;
  readonly seen: string;
}

type Marked = (index: number, form: number) => Mark;

const pattern = (index: number, form: number): Mark => {
  const text = `v${index}v`;
  return { value: [text, `${text}*`, `*${text}`][form] ?? text, seen: text };
};
const after =
  (prefix: string): Marked =>
  (index) => ({ value: `${prefix}v${index}v`, seen: `v${index}v` });
const block: Marked = (index) => ({ value: `10.9.${index}.0/24`, seen: `10.9.${index}.0/24` });

const sourceFields: Readonly<Record<string, Marked>> = {
  principals: after('td/ns/x/sa/'),
  requestPrincipals: after('issuer/'),
  namespaces: pattern,
  ipBlocks: block,
  remoteIpBlocks: block,
  trustDomains: pattern,
};
const operationFields: Readonly<Record<string, Marked>> = { hosts: pattern, methods: pattern, paths: pattern };
const conditionKeys: Readonly<Record<string, Marked>> = {
  'request.headers[x-a]': pattern,
  'request.headers[host]': pattern,
  'request.auth.principal': after('issuer/'),
  'request.auth.audiences': pattern,
  'request.auth.presenter': pattern,
  'request.auth.claims[a][b]': pattern,
  'source.ip': block,
  'remote.ip': block,
  'source.namespace': pattern,
  'source.principal': after('td/ns/x/sa/'),
  'source.serviceAccount': after('ns/'),
  'source.trustDomain': pattern,
  'destination.ip': block,
  'connection.sni': pattern,
  'experimental.envoy.filters.network.x[k]': pattern,
};

/** Values in one place of a rule: the rule's text of them, and whether a match of them speaks against the rule. */
interface Placed {
  readonly field: string;
  readonly seen: string;
  readonly isNegated: boolean;
}

/** A rule with marks in its places. `random` gives numbers below its argument. */
function ruleOf(random: (below: number) => number): { rule: AuthorizationRule; placed: readonly Placed[] } {
  const placed: Placed[] = [];
  let index = 0;
  const listOf = (field: string, marked: Marked, isNegated: boolean): string[] =>
    Array.from({ length: 1 + random(2) }, () => {
      const { value, seen } = marked(index++, random(3));
      placed.push({ field, seen, isNegated });
      return value;
    });
  const fieldsOf = (fields: Readonly<Record<string, Marked>>): Record<string, readonly string[]> => {
    const names = Object.keys(fields);
    const chosen = new Set(Array.from({ length: 1 + random(3) }, () => names[random(names.length)] as string));
    return Object.fromEntries(
      [...chosen].map((name) => {
        const isNegated = random(2) === 1;
        const field = isNegated ? `not${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
        return [field, listOf(field, fields[name] as Marked, isNegated)];
      }),
    );
  };
  const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const keys = Object.keys(conditionKeys);
  const [from, to, when] = [
    times(random(3), () => ({ source: fieldsOf(sourceFields) })),
    times(random(3), () => ({ operation: fieldsOf(operationFields) })),
    times(random(3), () => {
      const key = keys[random(keys.length)] as string;
      const field = random(2) === 1 ? 'notValues' : 'values';
      return { key, [field]: listOf(key, conditionKeys[key] as Marked, field === 'notValues') };
    }),
  ];
  const rule = {
    ...(from.length > 0 && { from }),
    ...(to.length > 0 && { to }),
    ...(when.length > 0 && { when }),
  };
  return { rule, placed };
}

const marked = fc.infiniteStream(fc.nat(1000)).map((numbers) => ruleOf((below) => (numbers.next().value ?? 0) % below));

/** How often each text stands in a term, and whether below an odd number of negations. */
function signsOf(term: unknown, text: string, isNegated = false): boolean[] {
  if (typeof term === 'string') return term.includes(text) ? [isNegated] : [];
  if (typeof term !== 'object' || term === null) return [];
  const isNot = (term as { kind?: unknown }).kind === 'not';
  return Object.entries(term).flatMap(([key, child]) => {
    return key === 'origins' ? [] : signsOf(child, text, isNot !== isNegated);
  });
}

function policiesOf(filters: readonly { readonly kind: string }[]): readonly unknown[] {
  return filters.flatMap((filter) => (filter as RbacIR).policies ?? []);
}

describe('no predicate disappears', () => {
  const lost = (rules: readonly unknown[], placed: readonly Placed[]) =>
    placed.filter(({ seen, isNegated }) => {
      const signs = signsOf(rules, seen);
      return signs.length === 0 || signs.some((sign) => sign !== isNegated);
    });

  test.each(['ALLOW', 'DENY', 'AUDIT'] as const)('%s: each value is in the rules for HTTP, on its side', (action) => {
    fc.assert(
      fc.property(marked, ({ rule, placed }) => {
        const { filters } = lowering()([policy(action, [rule])]);
        expect(lost(policiesOf(filters.http), placed)).toEqual([]);
      }),
      runs(300),
    );
  });

  test.each(['ALLOW', 'DENY', 'AUDIT'] as const)(
    'every condition of a %s rule is either in the TCP RBAC filter or named in a warning',
    (action) => {
      fc.assert(
        fc.property(marked, ({ rule, placed }) => {
          const { filters, told } = lowering()([policy(action, [rule])]);
          const isHttp = ({ field }: Placed) =>
            /^(request\.|(not)?(hosts|methods|paths|requestPrincipals)$)/i.test(field);
          const gone = placed.filter(isHttp);
          const warning = told.find(({ code }) => /^(rule-(lost|wider)-on-tcp|deny-of-http-only)$/.test(code));
          expect(gone.filter(({ field }) => !warning?.message.includes(`"${field}"`))).toEqual([]);
          expect(warning === undefined).toBe(gone.length === 0);
          if (warning === undefined) expect(lost(policiesOf(filters.network), placed)).toEqual([]);
          // What falls away leaves nothing behind that could match otherwise than on purpose.
          expect(gone.filter(({ seen }) => signsOf(policiesOf(filters.network), seen).length > 0)).toEqual([]);
        }),
        runs(300),
      );
    },
  );
});

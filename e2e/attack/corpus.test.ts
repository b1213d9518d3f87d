import { describe, expect, test } from 'vitest';
import { pathSpellings } from '../../src/access/model/path-spellings.ts';
import { run } from '../../src/cli/testing/run-meshpol.ts';
import { createAnalyser } from '../../src/compiler/analyse.ts';
import { createObjectReader } from '../../src/compiler/read-objects.ts';
import { defaultSettings } from '../../src/config/defaults.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { lineAndColumn, lineStarts } from '../../src/diagnostics/span.ts';
import { lint } from '../../src/lint/lint.ts';
import { rule } from '../../src/lint/rules/other-spellings-of-path.ts';
import { authorizationPolicy, topologyText } from '../../src/testbed/mesh-objects.ts';
import { readRequest } from '../../src/testbed/reading.ts';
import type { AttackGroup } from './attack.ts';
import { allowOfAllElse, attackGroups } from './corpus.ts';

const selection = { namespace: 'foo', app: 'server', name: 'attacked' };

/** Targets that the application may take for what is denied, although Envoy lets them through. */
function equivalents({ attacks, kinship }: AttackGroup): string[] {
  const seen = attacks.flatMap(({ http1, http2 }) => [http1 ?? '', http2 ?? '']);
  const targets = seen.flatMap((outcome) => (outcome.startsWith('200 ') ? [outcome.slice(4)] : []));
  return targets.filter((target) => kinship(readRequest('GET', target, '', [])) === 'equivalent');
}

/** Text at each place of which lint tells other spellings. */
function warnedPaths(policy: object): string[] {
  const text = topologyText([policy]);
  const bag = new DiagnosticBag();
  const objects = createObjectReader()([{ path: 'policy.yaml', text }], bag);
  const snapshot = createAnalyser(defaultSettings, { isPartial: true })(objects, bag);
  if (snapshot === undefined) throw new Error('the policy is refused');
  return lint(snapshot, { rules: [rule] }).findings.map(({ span }) => {
    const { line } = lineAndColumn(lineStarts(text), span?.start ?? 0);
    return `${span?.file}: ${text.split('\n')[line - 1]?.trim().replace(/,$/, '')}`;
  });
}

describe('attackGroups', () => {
  const forgiven = attackGroups.filter((group) => equivalents(group).length > 0);

  test('are of paths where an application can be more forgiving than Envoy', () => {
    expect(forgiven.map(({ title }) => title)).toEqual([
      'path /admin',
      'path /',
      'paths below /private/',
      'paths that end with .key',
      'path template /store/{*}/secret',
      'path template /vault/{**}/key',
    ]);
  });

  test.each(forgiven)(
    '$title: lint reports spellings that an application may treat as equal, by file and line',
    (group) => {
      const [warned, ...others] = warnedPaths(
        authorizationPolicy({ ...selection, action: 'DENY', rules: [group.rule] }),
      );
      const { to } = group.rule as {
        readonly to: readonly { readonly operation: { readonly paths: readonly string[] } }[];
      };
      expect(warned).toBe(`policy.yaml: "${to[0]?.operation.paths[0]}"`);
      expect(others).toEqual([]);
    },
  );

  test('the same is said of what an ALLOW policy leaves out', () => {
    const policy = authorizationPolicy({ ...selection, action: 'ALLOW', rules: [allowOfAllElse] });
    expect(warnedPaths(policy)).toEqual(['policy.yaml: "/admin"']);
  });
});

test('meshpol explain --variants predicts of each spelling of /admin what Envoy did with it', async () => {
  const policy = authorizationPolicy({
    ...selection,
    action: 'DENY',
    rules: [{ to: [{ operation: { paths: ['/admin'] } }] }],
  });
  const server = '--assume foo/server,ports=http:80 --assume foo/client,proxy=none --from foo/client --to server.foo';
  const { out } = await run(`explain - ${server} --path /admin --variants --format json`, JSON.stringify(policy));
  const { variants } = JSON.parse(out) as {
    readonly variants: {
      readonly tried: number;
      readonly different: readonly {
        readonly path: string;
        readonly verdicts: readonly string[];
        readonly delivered: readonly string[];
      }[];
    };
  };
  const predicted = new Map(
    variants.different.map(({ path, verdicts, delivered }) => {
      const [status] = verdicts[0]?.split(' ') ?? [];
      return [path, delivered.length === 0 ? status : `200 ${delivered.join()}`] as const;
    }),
  );
  const seen = new Map(attackGroups[0]?.attacks.map(({ target = '', http1 }) => [target, http1] as const));
  const spellings = pathSpellings('/admin');
  expect(variants.tried).toBe(spellings.length);
  const outcomes = spellings.map((spelling) => [spelling, predicted.get(spelling) ?? '403']);
  expect(outcomes).toEqual(spellings.map((spelling) => [spelling, seen.get(spelling)]));
});

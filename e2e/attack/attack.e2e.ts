import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { authorizationPolicy, topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { type Attack, type AttackGroup, outcomeOf, readingOf, wireRequest } from './attack.ts';
import { type AttackedPlace, attackedPlaces, attackTopology, folderTarget, serviceTarget } from './attacked-mesh.ts';
import { allowGroup, allowHostsGroup, allowOfAllElse, attackGroups } from './corpus.ts';

const drainMs = 1000;

interface Form {
  readonly form: string;
  readonly action: string;
  readonly rules: readonly object[];
  readonly groups: readonly AttackGroup[];
}

const forms: readonly Form[] = [
  { form: 'DENY', action: 'DENY', rules: attackGroups.map(({ rule }) => rule), groups: attackGroups },
  { form: 'ALLOW of all else', action: 'ALLOW', rules: [allowOfAllElse], groups: attackGroups },
  { form: 'ALLOW of one folder', action: 'ALLOW', rules: [allowGroup.rule], groups: [allowGroup] },
  { form: 'ALLOW of hosts', action: 'ALLOW', rules: [allowHostsGroup.rule], groups: [allowHostsGroup] },
];

describeMesh('attacks', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({
      topology: attackTopology,
      meshConfig: { defaultConfig: { drainDuration: `${drainMs / 1000}s` } },
    });
  });
  afterAll(() => testbed?.close());

  describe.each(attackedPlaces)('through a $kind', (place) => {
    describe.each(forms)('on $form', ({ action, rules, groups }) => {
      beforeAll(async () => {
        const policy = authorizationPolicy({ ...place.workload, name: 'attacked', action, rules });
        await testbed.apply({ 'policy.yaml': topologyText([policy]) });
      });
      afterAll(() => testbed.remove('policy.yaml'));

      test.each(groups)(
        '$title: no request reaches what the rule denies, and each outcome is as documented',
        async (group) => {
          await expectOutcomes(testbed, group, place);
        },
      );
    });
  });

  test.each(forms)('none passes $form at a sidecar by way of another', async ({ action, rules, groups }) => {
    const policy = authorizationPolicy({ namespace: 'foo', app: 'server', name: 'attacked', action, rules });
    await testbed.apply({ 'policy.yaml': topologyText([policy]) });
    // Connections from before the change keep the policies from before it until they are drained.
    await delay(drainMs + 1000);
    for (const group of groups) {
      const requests = group.attacks.flatMap((attack) =>
        ([1, 2] as const).flatMap((version) => wireRequest(attack, version, serviceTarget) ?? []),
      );
      const answers = await testbed.exchange('foo/insider', requests);
      const readings = answers.flatMap((answer) => readingOf(answer) ?? []);
      expect(readings.filter((reading) => group.kinship(reading) === 'denied').map(group.shown)).toEqual([]);
      expect(readings.length).toBeGreaterThan(0);
    }
    await testbed.remove('policy.yaml');
  });

  test('none reaches what a gateway has no route to, without any policy', async () => {
    const requests = allowGroup.attacks.flatMap((attack) =>
      ([1, 2] as const).flatMap((version) => wireRequest(attack, version, folderTarget) ?? []),
    );
    const answers = await testbed.exchange('legacy/attacker', requests);
    const readings = answers.flatMap((answer) => readingOf(answer) ?? []);
    const outside = readings.filter((reading) => allowGroup.kinship(reading) === 'denied');
    expect(outside.map(({ target }) => target)).toEqual([]);
    expect(readings.length).toBeGreaterThan(10);
  });
});

/** Every attack of the group, over each version that can carry it, against the table and against the rule's meaning. */
async function expectOutcomes(testbed: Testbed, group: AttackGroup, place: AttackedPlace): Promise<void> {
  const sent = group.attacks.flatMap((attack) =>
    ([1, 2] as const).flatMap((version) => {
      const request = wireRequest(attack, version, place.target);
      return request === undefined ? [] : [{ attack, version: `http${version}` as const, request }];
    }),
  );
  const requests = sent.map(({ request }) => request);
  const answers = await testbed.exchange('legacy/attacker', requests);
  const seen: Record<string, string> = {};
  const expected: Record<string, string | undefined> = {};
  const answeredAsDenied: string[] = [];
  for (const [i, { attack, version }] of sent.entries()) {
    const answer = answers[i] ?? { status: 'none', body: '' };
    const name = `${version} ${nameOf(attack)}`;
    seen[name] = outcomeOf(answer, group);
    expected[name] = (place.kind === 'gateway' ? attack.gateway?.[version] : undefined) ?? attack[version];
    const reading = readingOf(answer);
    if (reading !== undefined && group.kinship(reading) === 'denied') answeredAsDenied.push(name);
  }
  expect(answeredAsDenied).toEqual([]);
  expect(seen).toEqual(expected);
}

function nameOf({ http1: _1, http2: _2, gateway: _3, ...request }: Attack): string {
  return JSON.stringify(request);
}

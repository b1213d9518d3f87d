import fc from 'fast-check';
import { stringify } from 'yaml';
import type { TokenJudge } from '../../access/evaluate/token-judge.ts';
import { travel } from '../../access/evaluate/travel.ts';
import type { World } from '../../access/world.ts';
import { compiledWithKeySets } from '../compiled-world.ts';
import type { Dice } from '../dice.ts';
import { type MeshPod, meshTopology, pods, rootNamespace } from '../generated-mesh.ts';
import { policies, policyFiles } from '../generated-policies.ts';
import { rulesInForce } from '../policy-oracle.ts';
import { accessOf } from './access-of.ts';
import { agrees } from './agrees.ts';
import { generatedAccessPolicies, generatedPeers, generatedTokenPolicies } from './generated-intent.ts';
import { type Asked, addressOf, generatedQuestion, generatedTokens } from './generated-questions.ts';
import { generatedRivals } from './generated-rivals.ts';
import { isAbout } from './intent.ts';
import { type KeySets, oracleSettings } from './surroundings.ts';
import type { SentToken } from './tokens.ts';
import { type Intents, type Verdict, verdictOf } from './verdict.ts';

/** What came of a comparison. */
export interface Comparison {
  /** Decisions of which the specification says something. */
  readonly decisions: number;
  /** Of them, by verdict, and by kind of policy that is about them. */
  readonly counts: ReadonlyMap<string, number>;
  /** Each with the question, both answers, and the policies. */
  readonly differences: readonly string[];
}

/** Time of all questions, in seconds. */
const now = 1_800_000_000;

/**
 * Generates meshes, compiles them, and asks both the evaluator and the oracle about requests. Stops after a mesh with
 * differences.
 */
export async function compareMeshes(
  dice: Dice,
  keySets: KeySets,
  { meshes, questions }: { readonly meshes: number; readonly questions: number },
): Promise<Comparison> {
  const counts = new Map<string, number>();
  const count = (name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);
  let decisions = 0;
  for (let i = 0; i < meshes; i++) {
    const intents = generatedIntents(dice, keySets);
    const text = textOf(intents);
    const world = await compiledWithKeySets([meshTopology().text, text], oracleSettings);
    const tokens = generatedTokens(dice, keySets.texts, now, 30);
    const judge = judgeOf(keySets, tokens);
    const differences: string[] = [];
    for (let asked = 0; asked < questions; asked++) {
      for (const one of decide(world, intents, generatedQuestion(dice, tokens), judge)) {
        if (one.meant.kind === 'unsaid') continue;
        decisions++;
        count(nameOf(one.meant));
        for (const kind of one.kinds) count(kind);
        if (one.difference !== undefined) differences.push(`${one.difference}\n${text}`);
      }
    }
    if (differences.length > 0) return { decisions, counts, differences };
  }
  return { decisions, counts, differences: [] };
}

function generatedIntents(dice: Dice, keySets: KeySets): Intents {
  // The richest of several samples: rules of one have too little to do with each other.
  const samples = fc
    .sample(policies(), { seed: dice.below(2 ** 31), numRuns: 4 })
    .map((all) => all.filter(({ kind }) => kind === 'DestinationRule'));
  const rules = samples.reduce((best, own) => (own.length > best.length ? own : best));
  return {
    transport: [
      ...(dice.chance(75) ? generatedPeers(dice) : []),
      ...(dice.chance(60) ? rules : []),
      ...(dice.chance(50) ? generatedRivals(dice) : []),
    ],
    access: generatedAccessPolicies(dice, oracleSettings.extensionProviders[0].name),
    tokens: generatedTokenPolicies(dice, keySets.texts),
    trustDomains: ['cluster.local', ...oracleSettings.trustDomainAliases],
    now,
  };
}

function textOf({ transport, access, tokens }: Intents): string {
  const own = [...access, ...tokens].map((policy) => stringify({ apiVersion: 'security.mesh.io/v1', ...policy }));
  return [...policyFiles(transport).map(({ text }) => text), ...own].join('---\n');
}

/** The tokens are signed by nobody: who would have is known here. */
function judgeOf(keySets: KeySets, tokens: readonly SentToken[]): TokenJudge {
  const signers = new Map(tokens.map(({ text, signedBy }) => [text, signedBy && keySets.idOf(signedBy)]));
  const of = (keySet: string, token: string): 'good' | 'Jwt verification fails' =>
    signers.get(token) === keySets.idOf(keySet) ? 'good' : 'Jwt verification fails';
  return { now, signatures: { of } };
}

interface Decision {
  readonly meant: Verdict;
  /** Kinds of which some policy is about it. */
  readonly kinds: readonly string[];
  readonly difference?: string;
}

/** One for each workload that the request may come to. */
function decide(world: World, intents: Intents, asked: Asked, judge: TokenJudge): readonly Decision[] {
  const { question, target } = asked;
  return travel(world, accessOf(world, asked), judge).map((way): Decision => {
    const server = pods.find(({ namespace, name }) => namespace === way.target?.namespace && name === way.target.name);
    const told = (meant: unknown): string =>
      `${JSON.stringify({ question, target })}: meant ${JSON.stringify(meant)}, predicted ${JSON.stringify(way)}`;
    if (server === undefined) return { meant: { kind: 'reaches' }, kinds: [], difference: told('a workload') };
    const meant = verdictOf(intents, question, server, addressOf(server));
    const kinds = kindsAbout(intents, asked, server);
    return agrees(question, meant, way.outcome) ? { meant, kinds } : { meant, kinds, difference: told(meant) };
  });
}

function kindsAbout({ transport, access, tokens }: Intents, { question }: Asked, server: MeshPod): readonly string[] {
  const { client, service, request } = question;
  const isPeered = transport.some(
    ({ kind, metadata }) =>
      kind === 'PeerAuthentication' && [server.namespace, rootNamespace].includes(metadata.namespace),
  );
  const isRuled =
    client.kind === 'pod' &&
    client.pod.hasSidecar &&
    service !== undefined &&
    rulesInForce(transport, client.pod, service.host).length > 0;
  return [
    ...(isPeered ? ['PeerAuthentication'] : []),
    ...(isRuled ? ['DestinationRule'] : []),
    ...(access.some((policy) => isAbout(policy, server, rootNamespace)) ? ['AuthorizationPolicy'] : []),
    ...(request?.token !== undefined && tokens.some((policy) => isAbout(policy, server, rootNamespace))
      ? ['RequestAuthentication']
      : []),
  ];
}

function nameOf(meant: Verdict): string {
  if (meant.kind !== 'refused') return meant.kind;
  const by = meant.rules === undefined ? '' : meant.rules[0] === 'none' ? ' by no rule' : ' by a rule';
  return `${meant.statuses.join(' or ')}${by}`;
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenJudge } from '../../access/evaluate/token-judge.ts';
import { knownFields } from '../../access/lift/known.ts';
import { Signatures } from '../../access/signatures.ts';
import type { GaugeAnswer, SentCase } from '../../gauge/gauge-case.ts';
import { gaugeLogged } from '../../testbed/gauge/gauge.ts';
import type { Dice } from '../dice.ts';
import { predict } from '../gauge-prediction.ts';
import { addressOf } from '../gauge-round.ts';
import { verdictOf } from '../gauge-tally.ts';
import { type GaugedMesh, generatedGatewayMesh, generatedMesh } from '../gauged-mesh.ts';
import { signTokens, type TokenBox } from '../generated-tokens.ts';
import { variedCases } from '../varied-cases.ts';
import { alterations, filesFolder } from './alterations.ts';
import { alterableIn, bootstrapOf, type Copy } from './copies.ts';
import { writeOtherAuthority } from './other-authority.ts';

/** A field of Envoy's API, by its message. */
export interface InertField {
  readonly type: string;
  readonly field: string;
}

/** The fields that the table calls inert, and for which another value is known. */
export function inertFields(): readonly InertField[] {
  return [...knownFields()].flatMap(([type, fields]) =>
    [...fields].flatMap(([field, bearing]) =>
      bearing === 'inert' && alterations[type]?.[field] !== undefined ? [{ type, field }] : [],
    ),
  );
}

/** What became of one field. */
export interface InertResult extends InertField {
  /** Messages that were altered. */
  readonly messages: number;
  readonly requests: number;
  /** Requests that an application has answered. */
  readonly reached: number;
  /** Each request with another answer. */
  readonly changed: readonly string[];
}

/** In few of the generated workloads; other messages are in most of them, or are added to each copy. */
const rareTypes = new Set([
  'envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext',
  'envoy.config.route.v3.RedirectAction',
]);
const fewestBases = 8;
const mostDrawn = 200;

interface Base {
  readonly mesh: GaugedMesh;
  readonly cases: readonly SentCase[];
  readonly takesSource: boolean;
}

/**
 * Alters each of these fields in the configuration of a generated server or gateway, wherever its message stands there, and
 * sends the same requests to it and to the unaltered one, on one real Envoy.
 */
export async function tryInert(dice: Dice, fields: readonly InertField[], requests: number): Promise<InertResult[]> {
  const box = await signTokens(dice, 60);
  const bases = await drawBases(dice, fields, requests, box);
  const [first] = bases as [Base];
  bases.push({ ...first, mesh: { ...first.mesh, address: addressOf(bases.length) }, takesSource: true });
  const copies: Copy[] = bases.map(({ mesh, takesSource }) => ({ mesh, takesSource }));
  const chosen = fields.map((field) => {
    const base = baseFor(field, bases);
    const address = addressOf(copies.length);
    copies.push({ mesh: { ...base.mesh, address }, takesSource: base.takesSource, field });
    return { field, base, address };
  });
  const cases: SentCase[] = [];
  const sendAll = ({ cases: own }: Base, address: string): number => {
    const first = cases.length;
    for (const { connection, ...rest } of own) {
      cases.push({ ...rest, connection: { ...connection, destination: { ...connection.destination, address } } });
    }
    return first;
  };
  const firsts = new Map(bases.map((base) => [base, sendAll(base, base.mesh.address)]));
  const altered = chosen.map(({ base, address }) => sendAll(base, address));
  const counts = new Map<string, number>();
  const folder = await mkdtemp(join(tmpdir(), 'inert-'));
  await writeOtherAuthority(folder);
  const { answers } = await gaugeLogged(
    copies.map(({ mesh }) => mesh),
    cases,
    async (form) => {
      const files = new Map<string, Readonly<Record<string, unknown>>>();
      const bootstrap = bootstrapOf(form, copies, { counts, files });
      for (const [name, content] of files) await writeFile(join(folder, name), JSON.stringify(content));
      return JSON.parse(JSON.stringify(bootstrap).replaceAll(filesFolder, folder));
    },
  ).finally(() => rm(folder, { recursive: true, force: true }));
  return chosen.map(({ field, base, address }, i): InertResult => {
    const changed = base.cases.flatMap((sent, at) => {
      const [was, is] = [answers[(firsts.get(base) ?? 0) + at], answers[(altered[i] ?? 0) + at]].map(answerText);
      return was === is ? [] : [`${JSON.stringify(sent)}\n  was ${was}\n  is  ${is}`];
    });
    const own = answers.slice(altered[i] ?? 0, (altered[i] ?? 0) + base.cases.length);
    const reached = own.filter((answer) => verdictOf(answer) === 'reaches').length;
    return { ...field, messages: counts.get(address) ?? 0, requests: base.cases.length, reached, changed };
  });
}

/** Servers and gateways in turns; then more gateways, until each of the rare messages is in one that lets requests in. */
async function drawBases(dice: Dice, fields: readonly InertField[], requests: number, box: TokenBox): Promise<Base[]> {
  const bases: Base[] = [];
  const lacking = new Set(fields.filter(({ type }) => rareTypes.has(type)));
  for (let drawn = 0; bases.length < fewestBases || (lacking.size > 0 && drawn < mostDrawn); drawn++) {
    const isMore = bases.length >= fewestBases;
    const make = isMore || drawn % 2 === 1 ? generatedGatewayMesh : generatedMesh;
    const mesh = await make(dice, addressOf(bases.length), box.keySets, 'wide');
    const brings = [...lacking].filter((field) => alterableIn(mesh, field) > 0);
    if (isMore && brings.length === 0) continue;
    const { cases, reaching } = await certainCases(dice, mesh, box, requests);
    // Where nearly all is denied, little else decides.
    if (reaching < requests / 5) continue;
    bases.push({ mesh, cases, takesSource: false });
    for (const field of brings) lacking.delete(field);
  }
  return bases;
}

/** The workload that has the field most often. */
function baseFor(field: InertField, bases: readonly Base[]): Base {
  const fitting = bases.filter(({ takesSource }) => takesSource === field.type.endsWith('.OriginalSrc'));
  const counts = new Map(fitting.map((base) => [base, alterableIn(base.mesh, field)]));
  const [best] = fitting.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  if (best === undefined) throw new Error('there is no workload');
  return best;
}

/** Requests whose outcome is certain, without weights and shares of faults, and how many of them reach an application. */
async function certainCases(
  dice: Dice,
  mesh: GaugedMesh,
  { tokens }: TokenBox,
  count: number,
): Promise<{ readonly cases: readonly SentCase[]; readonly reaching: number }> {
  const signatures = new Signatures();
  const judge: TokenJudge = { now: Date.now() / 1000, signatures };
  const cases: SentCase[] = [];
  let reaching = 0;
  for (const sent of variedCases(dice, mesh, tokens, 3 * count)) {
    if (cases.length === count) break;
    if (sent.request !== undefined) await signatures.learn(new Map([['', mesh.proxy]]), sent.request);
    const [only, ...others] = predict(mesh, sent, sent.request, judge);
    if (only === undefined || others.length > 0) continue;
    cases.push(sent);
    if (only.result.outcome.kind === 'reaches') reaching++;
  }
  return { cases, reaching };
}

function answerText(answer: GaugeAnswer | undefined): string {
  const { opener: _opener, saw: _saw, cluster, ...rest } = answer as GaugeAnswer;
  // What Envoy answers itself may have had several destinations.
  const isSentOn = rest.details === 'via_upstream' || rest.details === '';
  return JSON.stringify({ ...rest, ...(isSentOn && { cluster }) }).replaceAll(/~\d+"/g, '"');
}

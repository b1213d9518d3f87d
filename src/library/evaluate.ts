import type { AccessRequest } from '../access/evaluate/access-request.ts';
import type { Client } from '../access/evaluate/client.ts';
import { travel } from '../access/evaluate/travel.ts';
import { explainWays } from '../access/explanation.ts';
import { addressesOf, authorityOf, requireClient, type Target } from '../access/resolve-target.ts';
import { Signatures } from '../access/signatures.ts';
import type { World } from '../access/world.ts';
import { createCompiler } from '../compiler/compile.ts';
import { loadTemplates } from '../compiler/render/templates.ts';
import { placeDiagnostics } from '../diagnostics/placed.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import { checkQuestions } from './check-input.ts';
import { type CompileInput, checkTexts } from './input.ts';
import { placeObjects } from './place-objects.ts';
import type { Answer, EvaluateResult, Question } from './question.ts';
import { readInput } from './read-input.ts';
import { originsIn, worldOf } from './world-of.ts';

/** What `evaluate` reads: a mesh, as `compile` does. */
export type EvaluateInput = Omit<CompileInput, 'workloads' | 'bootstrap' | 'delivery'>;

/**
 * Predicts what becomes of requests, as `meshpol explain` does, from texts alone. A mistake in a text is a diagnostic; a
 * TypeError is thrown for input that is not of its type, and an Error for a question about what the mesh does not have.
 */
export async function evaluate(input: EvaluateInput, questions: readonly Question[]): Promise<EvaluateResult> {
  checkTexts('evaluate', input);
  checkQuestions(questions);
  const { settings, sources, bag } = readInput(input);
  const templates =
    input.templates &&
    (await loadTemplates(
      input.templates.map((one) => ({ ...one, isYaml: false })),
      bag,
    ));
  const compiler = createCompiler({ settings, ...(templates && { templates }) });
  const read = compiler.read(input.files, bag);
  const keySets = await createKeySetGatherer(input.keySets).gather(read, bag);
  const objects = bag.hasErrors ? read : placeObjects(read, compiler.analyse).objects;
  const compilation = bag.hasErrors ? undefined : compiler.compileObjects(objects, 'all', bag, keySets);
  const shown = [...input.files, ...sources, ...(input.templates ?? [])];
  const told = { diagnostics: placeDiagnostics(bag.all, shown), fileCount: shown.length };
  if (compilation === undefined || bag.hasErrors) return { answers: undefined, ...told };
  const [world, originsOf] = [worldOf(compilation), originsIn(compilation, input.files)];
  const answers: Answer[] = [];
  for (const question of questions) answers.push({ ways: explainWays(await waysOf(world, question), originsOf) });
  return { answers, ...told };
}

/** Nobody's: of the blocks for documentation (RFC 5737). */
const strangerAddress = '192.0.2.1';

async function waysOf(world: World, question: Question): Promise<ReturnType<typeof travel>> {
  const { claims, now = Date.now() / 1000 } = question;
  const from = clientOf(question.from);
  requireClient(world, from);
  const to: Target =
    'host' in question.to
      ? { kind: 'host', host: question.to.host.toLowerCase(), port: question.to.port }
      : { kind: 'workload', ...question.to };
  const accesses = addressesOf(world, from, to).map((address) => accessRequest(question, from, to, address));
  const signatures = new Signatures();
  for (const { request } of accesses) {
    if (request !== undefined) await signatures.learn(world.proxies, request);
  }
  return accesses.flatMap((access) => travel(world, access, { now, claims, signatures }));
}

function clientOf(from: Question['from']): Client {
  if (from === 'outside') return { kind: 'outside', address: strangerAddress };
  return 'address' in from ? { kind: 'outside', ...from } : { kind: 'workload', ...from };
}

function accessRequest(
  { protocol, method = 'GET', path = '/', host, headers = [], authorizer }: Question,
  from: Client,
  target: Target,
  to: AccessRequest['to'],
): AccessRequest {
  if (protocol === 'tcp') return { from, to, authorizer, protocol: 'bytes' };
  const request = { method, path, authority: host ?? authorityOf(target, to), headers };
  return { from, to, authorizer, protocol: protocol === 'http2' ? 'h2' : 'http/1.1', request };
}

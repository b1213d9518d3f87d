import { readFileSync } from 'node:fs';
import { type Caller, createCaller } from './callers.ts';
import { emptyCounts, type LoadCounts, type LoadFailure, type Manner, manners } from './counts.ts';
import type { LoadOrder, LoadTarget } from './order.ts';

/**
 * The load client, as a program: `client.ts ORDER`, ORDER being the JSON of {@link LoadOrder}. Requests leave at their
 * rate, while not too many are in flight. Prints `calling`, and at the end, which SIGTERM or the limit asks for and
 * requests in flight delay, the JSON of {@link LoadCounts}.
 */
const order = JSON.parse(process.argv[2] ?? '') as LoadOrder;
const counted = Object.fromEntries(manners.map((manner) => [manner, emptyCounts()])) as LoadCounts['manners'];
const failures: LoadFailure[] = [];
const inFlight = new Map(manners.map((manner) => [manner, new Set<Promise<void>>()]));
const turns = new Map(manners.map((manner) => [manner, 0]));
const callers = new Map<string, Caller>();
/** Requests of one manner that may be in flight. */
const atOnce = 40;
const startedAt = performance.now();
let targets: readonly LoadTarget[] = [];
let targetsText = '';
let lists = 0;
let isEnding = false;

function readTargets(): void {
  const text = readFileSync(order.targetsFile, 'utf8');
  if (text === targetsText) return;
  targetsText = text;
  targets = JSON.parse(text);
  const wanted = new Set(targets.flatMap((target) => manners.map((manner) => keyOf(manner, target))));
  for (const [key, caller] of callers) {
    if (wanted.has(key)) continue;
    caller.retire();
    callers.delete(key);
  }
  lists += 1;
  const told = `moved ${lists}\n`;
  void Promise.all(allInFlight()).then(() => process.stdout.write(told));
}

function allInFlight(): readonly Promise<void>[] {
  return [...inFlight.values()].flatMap((running) => [...running]);
}

function callerOf(manner: Manner, target: LoadTarget): Caller {
  const key = keyOf(manner, target);
  const known = callers.get(key);
  if (known !== undefined) return known;
  const counts = counted[manner];
  const made = createCaller(manner, target, order.tls, {
    opened: () => (counts.connections += 1),
    moved: () => (counts.moved += 1),
  });
  callers.set(key, made);
  return made;
}

function keyOf(manner: Manner, { host, port }: LoadTarget): string {
  return `${manner} ${host}:${port}`;
}

async function callOnce(manner: Manner, target: LoadTarget): Promise<void> {
  const counts = counted[manner];
  const from = performance.now();
  counts.requests += 1;
  const reason = await outcome(callerOf(manner, target));
  counts.slowestMs = Math.max(counts.slowestMs, Math.round(performance.now() - from));
  if (reason === undefined) return;
  counts.failed += 1;
  counts.reasons[reason] = (counts.reasons[reason] ?? 0) + 1;
  if (failures.length < 20) failures.push({ at: Date.now(), manner, target: `${target.host}:${target.port}`, reason });
}

/** Why the request failed; undefined when it did not. */
async function outcome(caller: Caller): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${order.deadlineMs} ms`), order.deadlineMs);
  });
  const answer = caller.call(order.path).then(
    ({ status, body }) => {
      if (status !== order.status) return `${status} ${body.slice(0, 150)}`;
      const lines = body.split('\n').length - 1;
      return lines === order.lines ? undefined : `${lines} of ${order.lines} lines`;
    },
    (error: Error) => nameOf(error),
  );
  const reason = await Promise.race([answer, late]);
  clearTimeout(timer);
  return reason;
}

/** Of a stream that ended with its connection, what ended the connection. */
function nameOf({ code, message, cause }: NodeJS.ErrnoException): string {
  if (cause instanceof Error) return `${code}: ${nameOf(cause)}`;
  return code === undefined || code === 'ERR_HTTP2_STREAM_ERROR' ? message : code;
}

function sendDue(): void {
  if (isEnding) return;
  const due = Math.ceil(((performance.now() - startedAt) * order.perSecond) / 1_000);
  for (const manner of manners) sendDueOf(manner, Math.min(due, order.limit ?? due));
  if (manners.every((manner) => turns.get(manner) === order.limit)) void end();
}

function sendDueOf(manner: Manner, due: number): void {
  const running = inFlight.get(manner) ?? new Set();
  let turn = turns.get(manner) ?? 0;
  for (; turn < due && running.size < atOnce; turn += 1) {
    const target = targets[turn % targets.length];
    if (target === undefined) continue;
    const call: Promise<void> = callOnce(manner, target).finally(() => running.delete(call));
    running.add(call);
  }
  // On a machine that is too slow for the rate requests are left out: they would only measure the client.
  turns.set(manner, order.limit === undefined ? due : turn);
}

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await Promise.all(allInFlight());
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const counts: LoadCounts = { seconds, manners: counted, failures };
  process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0));
}

readTargets();
setInterval(readTargets, 50);
// Twice as often as one is due, so that none leaves late by more than half of the time between two.
setInterval(sendDue, 500 / order.perSecond);
process.on('SIGTERM', () => void end());
process.stdout.write('calling\n');

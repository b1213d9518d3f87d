import { afterEach, beforeEach, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { eventually } from '../../testing/eventually.ts';
import { ServingBench, textOf } from '../testing/serving-bench.ts';
import { attributeOf, type ReceivedSpan, SpanReceiver } from '../testing/span-receiver.ts';
import { otlpSettingsOf } from '../trace/otlp-settings.ts';

let bench: ServingBench;
let receiver: SpanReceiver;

beforeEach(async () => {
  receiver = await SpanReceiver.start();
  bench = await ServingBench.create();
  await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
  const traces = otlpSettingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}` }, 'test');
  await bench.start({ traces });
});
afterEach(async () => {
  await bench.close();
  await receiver.close();
});

const connect = async () => {
  const stream = bench.open(await bench.identity('foo/httpbin'));
  stream.subscribe('listeners');
  await eventually(() => expect(stream.seen).toHaveLength(1));
  return stream;
};

test('a push is traced from the change of a file to the acknowledgement of each proxy, as spans and in the log at debug', async () => {
  const stream = await connect();
  const changedMs = Date.now();
  await bench.put('deny.yaml', denyPath('/secret'));
  await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/secret'));
  const isOfPush = ({ traceId }: ReceivedSpan): boolean => traceId === push()?.traceId;
  const push = (): ReceivedSpan | undefined =>
    receiver.spans.find(
      ({ name, startTimeUnixNano }) => name === 'push' && Number(startTimeUnixNano) / 1e6 >= changedMs,
    );
  const spans = (): readonly ReceivedSpan[] => receiver.spans.filter(isOfPush);
  await eventually(() => expect(spans()).toHaveLength(5));
  const named = (name: string): ReceivedSpan => spans().find((span) => span.name === name) as ReceivedSpan;
  const [root, debounce, compile, deliver, response] = [
    ...[named('push'), named('debounce'), named('compile')],
    ...[named('deliver'), named('response Listener')],
  ] as const;
  expect(root?.parentSpanId).toBeUndefined();
  expect([debounce, compile, deliver].map((span) => span?.parentSpanId)).toEqual(Array(3).fill(root?.spanId));
  expect(response?.parentSpanId).toBe(deliver?.spanId);
  expect(attributeOf(response as ReceivedSpan, 'mesh.proxy')).toBe('foo/httpbin');
  expect(attributeOf(response as ReceivedSpan, 'xds.nonce')).toBe(stream.seen.at(-1)?.nonce);
  expect(attributeOf(response as ReceivedSpan, 'xds.acknowledged')).toBe(true);
  // One after the other: gathered, compiled, delivered.
  const ends = [debounce, compile, deliver].map((span) => BigInt(span?.endTimeUnixNano ?? 0));
  expect([...ends].sort((a, b) => (a < b ? -1 : 1))).toEqual(ends);
  expect(compile?.startTimeUnixNano).toBe(debounce?.endTimeUnixNano);
  const logged = bench.control.lines.filter(({ fields }) => fields.push === root?.traceId);
  expect(logged.map(({ level, message }) => `${level} ${message}`)).toEqual(
    ['compiled', 'sent', 'acknowledged', 'done'].map((what) => `debug push: ${what}`),
  );
  expect(Number(await bench.metric('meshd_trace_spans_sent_count'))).toBeGreaterThanOrEqual(5);
});

test('a receiver of traces that never answers slows neither a push nor the end', async () => {
  receiver.status = 0;
  const stream = await connect();
  const began = performance.now();
  await bench.put('deny.yaml', denyPath('/secret'));
  await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/secret'));
  // A receiver of traces is waited for ten seconds.
  expect(performance.now() - began).toBeLessThan(9_000);
  const ended = performance.now();
  await bench.control.stop();
  expect(performance.now() - ended).toBeLessThan(9_000);
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { SpanReceiver } from '../testing/span-receiver.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import type { Span } from './span.ts';

describe('OtlpExporter and a receiver on loopback', () => {
  let receiver: SpanReceiver;
  const figures = { sent: 0, lost: 0 };
  const told: string[] = [];
  const exporters: OtlpExporter[] = [];

  beforeEach(async () => {
    Object.assign(figures, { sent: 0, lost: 0 });
    told.length = 0;
    receiver = await SpanReceiver.start();
  });
  afterEach(async () => {
    for (const exporter of exporters.splice(0)) await exporter.close();
    await receiver.close();
  });

  const exporterTo = (more: Partial<OtlpSettings> = {}): OtlpExporter => {
    const tell = (message: string): void => void told.push(message);
    const exporter = new OtlpExporter({
      settings: {
        ...{
          url: receiver.url,
          headers: {},
          timeoutMs: 200,
          isCompressed: false,
          resource: { 'service.name': 'meshd' },
        },
        ...more,
      },
      log: { debug: tell, info: tell, warn: tell, error: tell },
      sent: (count) => {
        figures.sent += count;
      },
      lost: (count) => {
        figures.lost += count;
      },
      delayMs: 10,
    });
    exporters.push(exporter);
    return exporter;
  };
  const span = (i: number): Span => ({
    ...{ traceId: 'a'.repeat(32), spanId: String(i).padStart(16, '0'), name: `span ${i}`, startMs: 1.5, endMs: 2 },
    attributes: { text: 'x', count: 3, share: 0.5, isGood: true },
    problem: i === 1 ? 'no' : undefined,
  });

  test('speak OTLP over HTTP in JSON, with the configured headers and compression', async () => {
    const exporter = exporterTo({ headers: { authorization: 'Bearer x' }, isCompressed: true });
    exporter.add(span(0));
    exporter.add({ ...span(1), parentId: '0'.repeat(16) });
    await eventually(() => expect(receiver.spans).toHaveLength(2));
    expect(receiver.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x', 'content-encoding': 'gzip' },
      body: {
        resourceSpans: [{ resource: { attributes: [{ key: 'service.name', value: { stringValue: 'meshd' } }] } }],
      },
    });
    expect(receiver.spans[0]).toEqual({
      ...{ traceId: 'a'.repeat(32), spanId: '0'.repeat(16), name: 'span 0', kind: 1 },
      ...{ startTimeUnixNano: '1500000', endTimeUnixNano: '2000000' },
      attributes: [
        { key: 'text', value: { stringValue: 'x' } },
        { key: 'count', value: { intValue: '3' } },
        { key: 'share', value: { doubleValue: 0.5 } },
        { key: 'isGood', value: { boolValue: true } },
      ],
    });
    expect(receiver.spans[1]).toMatchObject({ parentSpanId: '0'.repeat(16), status: { code: 2, message: 'no' } });
    await eventually(() => expect(figures).toEqual({ sent: 2, lost: 0 }));
  });

  test('lose no span while the receiver is away for a moment, and log that once', async () => {
    receiver.status = 503;
    const exporter = exporterTo();
    for (let i = 0; i < 600; i++) exporter.add(span(i));
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(2));
    receiver.status = 200;
    await eventually(() => expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).toBe(600));
    await eventually(() => expect(figures).toEqual({ sent: 600, lost: 0 }));
    expect(told).toEqual(['the receiver of traces does not take spans', 'the receiver of traces takes spans again']);
  });

  test.each([
    ['never answers', 0],
    ['is not there', undefined],
  ])('limit the spans that wait for a receiver that %s, and do not delay the end', async (_name, status) => {
    receiver.status = status ?? 200;
    if (status === undefined) await receiver.close();
    const exporter = exporterTo();
    for (let i = 0; i < 10_000; i++) exporter.add(span(i));
    expect([exporter.waiting, figures.lost]).toEqual([4_096, 10_000 - 4_096]);
    await eventually(() => expect(told).toHaveLength(1));
    const ended = performance.now();
    await exporter.close();
    expect(performance.now() - ended).toBeLessThan(30_000);
    expect(figures).toEqual({ sent: 0, lost: 10_000 });
  });

  test('do not send spans again that the receiver refused', async () => {
    receiver.status = 400;
    exporterTo().add(span(0));
    await eventually(() => expect(figures).toEqual({ sent: 0, lost: 1 }));
    expect(receiver.requests).toHaveLength(1);
  });
});

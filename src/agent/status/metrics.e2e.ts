import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../testing/http-server.ts';
import { AgentMetrics } from '../metrics/metrics.ts';
import { type AgentBench, startBench } from '../testing/agent-bench.ts';
import { type Answered, ask } from './testing/status-bench.ts';

const type = 'text/plain; version=0.0.4; charset=utf-8';

describe('/stats/prometheus', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const app = async (answer: RequestListener, address = '127.0.0.1'): Promise<number> => {
    const server = await startTestServer(answer, { address });
    ends.push(() => server.close());
    return server.port;
  };
  const text = (body: string, contentType = 'text/plain'): RequestListener => {
    return (_, response) => response.writeHead(200, { 'content-type': contentType }).end(body);
  };
  /** An agent with a real Envoy that is ready, and applications on these ports. */
  const start = async (...ports: readonly number[]): Promise<AgentBench> => {
    const metrics = new AgentMetrics();
    const scrapeTargets = ports.map((port) => ({ port, path: '/metrics?token=canary' }));
    const status = { probes: new Map(), scrapeTargets, podAddress: undefined };
    const bench = await startBench({ parts: { status, metrics: () => metrics.text(), observers: metrics } });
    ends.push(() => bench.close());
    await bench.untilReady();
    return bench;
  };
  const scrape = (bench: AgentBench, query = '', headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    ask(bench.statusPort, { path: `/stats/prometheus${query}`, headers });

  test('has the metrics of agent, Envoy and every application, without anything that breaks the format', async () => {
    const openMetrics = '# TYPE other counter\nother_total 5 # {trace_id="a"} 1\n# EOF\n';
    const bench = await start(
      await app(text('# TYPE total_pushes counter\ntotal_pushes{app="a"} 3\napp_metric 1')),
      await app(text(openMetrics, 'application/openmetrics-text; version=1.0.0'), '::1'),
      await app(text('plain_metric 1\n# EOF\n')),
    );
    const { status, headers, body } = await scrape(bench, '?usedonly');
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(body).toMatch(/^mesh_agent_scrapes_total 1$/m);
    expect(body).toMatch(/^envoy_server_live\{.*\} 1$/m);
    expect(body).toMatch(/^app_metric 1\n# TYPE other_total counter\nother_total 5\nplain_metric 1\n$/m);
    expect(body).not.toContain('# EOF');
    // The agent has a family of this name too, which gives way.
    expect(body.match(/^(# TYPE )?total_pushes.*$/gm)).toEqual([
      '# TYPE total_pushes counter',
      'total_pushes{app="a"} 3',
    ]);
    expect(bench.lines.join('')).toContain('give way');
    for (const line of body.split('\n')) expect(line).toMatch(/^($|# |[a-zA-Z_:][\w:]*(\{.*\})? [^ ]+$)/);
  });

  test('gives 200 with the metrics of Envoy when the application is down, and one failure is counted', async () => {
    const bench = await start(await app((_, response) => response.destroy()));
    const { status, body } = await scrape(bench);
    expect(status).toBe(200);
    expect(body).toMatch(/^envoy_server_live/m);
    expect(body).toContain('mesh_agent_scrape_failures_total{type="application"} 1');
    expect(body).toContain('mesh_agent_scrape_failures_total{type="envoy"} 0');
    expect(bench.lines.join('')).toMatch(/a part of the metrics is missing\tpart=application port=\d+ reason=/);
    expect(bench.lines.join('')).not.toContain('canary');
  });

  test.each<[string, RequestListener]>([
    ['protobuf', text('\x0a\x01a', 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily')],
    ['a page', text('<html>app_metric</html>', 'text/html')],
    ['an error', (_, response) => response.writeHead(500).end('app_metric 1\n')],
    ['compressed text', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')],
    ['11 MiB', text(`app_metric{x="${'y'.repeat(11 * 1024 * 1024)}"} 1\n`)],
    ['an answer that is cut', (_, response) => response.writeHead(200, { 'content-length': 99 }).end('app_metric 1\n')],
    ['nothing in time', () => undefined],
    ['an answer without an end', (_, response) => void response.writeHead(200).write('app_metric 1\n')],
  ])('leaves an application out that answers with %s', async (_name, answer) => {
    const bench = await start(await app(answer), await app(text('good_metric 1\n')));
    const startedAt = performance.now();
    const { status, body } = await scrape(bench, '', { 'x-prometheus-scrape-timeout-seconds': '0.5' });
    // The agent waits ten seconds where the header does not say less.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    expect(status).toBe(200);
    expect(body).toContain('good_metric 1\n');
    expect(body).not.toContain('app_metric');
    expect(body).toContain('mesh_agent_scrape_failures_total{type="application"} 1');
  });

  test('asks the application for text alone, with the name and the time of the scraper', async () => {
    let seen: Readonly<Record<string, unknown>> = {};
    const bench = await start(
      await app(({ headers }, response) => {
        seen = headers;
        response.end('app_metric 1\n');
      }),
    );
    const prometheus = {
      accept:
        'application/openmetrics-text;version=1.0.0;q=0.6,application/vnd.google.protobuf;q=0.5,' +
        'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
      ...{ 'user-agent': 'Prometheus/3.6', 'x-prometheus-scrape-timeout-seconds': '10', authorization: 'Bearer x' },
    };
    await scrape(bench, '', prometheus);
    expect(seen).toMatchObject({
      ...{ accept: 'text/plain;version=0.0.4;q=0.3', 'user-agent': 'Prometheus/3.6' },
      ...{ 'x-prometheus-scrape-timeout-seconds': '10' },
    });
    expect(seen).not.toHaveProperty('authorization');
    await scrape(bench, '', { accept: 'application/openmetrics-text' });
    expect(seen.accept).toBe('text/plain;version=0.0.4, text/plain;q=0.5, */*;q=0.1');
  });

  test("narrows Envoy's part as the query says, and lets no query change its form", async () => {
    const bench = await start();
    const all = (await scrape(bench)).body;
    expect(all).toContain('envoy_server_uptime');
    const narrow = (await scrape(bench, '?filter=server.live&format=json&prom_protobuf=')).body;
    expect(narrow).toMatch(/^envoy_server_live/m);
    expect(narrow).not.toContain('envoy_server_uptime');
    expect((await scrape(bench, '?/../config_dump')).body).toContain('envoy_server_live');
  });

  test('answers while Envoy does not run', async () => {
    const bench = await start();
    process.kill(bench.envoyPid, 'SIGSTOP');
    const { status, body } = await scrape(bench, '', { 'x-prometheus-scrape-timeout-seconds': '0.5' });
    process.kill(bench.envoyPid, 'SIGCONT');
    expect(status).toBe(200);
    expect(body).toContain('mesh_agent_scrape_failures_total{type="envoy"} 1');
  });
});

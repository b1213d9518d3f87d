import { configurationTypes } from '../../xds/aggregated-service.ts';
import { deltaForm } from '../../xds/form.ts';
import { emptyView } from '../../xds/resource-view.ts';
import { ScopedStreams } from '../../xds/scoped-streams.ts';
import type { ServedViews } from '../push/mesh-snapshot.ts';
import { ProxyStream } from '../push/proxy-stream.ts';

/** A program that prints how many bytes of heap a stream at rest takes, without gRPC's part; needs `--expose-gc`. */
const count = 3_000;

const nothing = (): undefined => undefined;
const keeper = {
  ...{ answered: nothing, complete: nothing, isolated: nothing, sent: nothing, settled: nothing, closed: nothing },
};
const views: ServedViews = {
  ...{ clusters: emptyView, endpoints: emptyView, listeners: emptyView, routes: emptyView },
  ...{ secrets: emptyView, faults: emptyView, names: emptyView },
};

/** A client that has asked for each type, and acknowledged what it got. */
function streamAtRest(): object {
  const proxy = { namespace: 'a', name: 'b', serviceAccount: 'c' };
  const stream = new ProxyStream({ proxy, identity: 'i', envoyVersion: '1.40.0' }, keeper, 5_000);
  stream.take(views, false);
  const streams = new ScopedStreams(deltaForm, stream, {});
  for (const { typeUrl } of Object.values(configurationTypes)) {
    const request = { nodeId: 'n', typeUrl, subscribe: ['*'], unsubscribe: [], initialVersions: {} };
    const response = streams.receive({ ...request, responseNonce: '', errorDetail: undefined });
    const word = { ...request, subscribe: [], errorDetail: undefined };
    if (response !== undefined) streams.receive({ ...word, responseNonce: response.nonce });
  }
  return [stream, streams];
}

function heapUsed(): number {
  for (let i = 0; i < 5; i += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

// V8 compiles what is needed.
for (let i = 0; i < 100; i += 1) streamAtRest();
const before = heapUsed();
const streams = Array.from({ length: count }, streamAtRest);
const bytes = (heapUsed() - before) / streams.length;
process.stdout.write(`${Math.round(bytes)}\n`);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ask,
  type RoutedAnswer,
  type RoutedRequest,
  type SeenRequest,
  startEcho,
} from '../../lower/testing/outbound-gate.ts';
import { isAnswered, startStaticEnvoy } from '../../lower/testing/static-envoy.ts';
import { askCall, type CallAnswer, type CallOptions, startCallee } from './calls.ts';
import { backends, callee, clusterOf, compiledListeners } from './standard-mesh.ts';

/** One real Envoy with the listeners of a gateway, once for each set of objects. */
export interface StandardGates {
  /** `name` of the set, and the port if it is not 80. */
  send(name: string, request?: RoutedRequest, port?: number): Promise<RoutedAnswer>;
  /** One call over gRPC to port 80, in HTTP/2: `path` is `/<service>/<method>`. */
  call(name: string, path: string, options?: CallOptions): Promise<CallAnswer>;
  /** What applications have got since the last call, in no order that matters. */
  received(): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Compiles each text (YAML, beside the mesh below) for the workload `infra/edge` and starts Envoy with the listeners. */
export async function startStandardGates(objects: Readonly<Record<string, string>>): Promise<StandardGates> {
  const folder = await mkdtemp(join(tmpdir(), 'standard-gates-'));
  const log: SeenRequest[] = [];
  const pathOf = (backend: string): string => join(folder, `${backend}.sock`);
  const servers = await Promise.all(backends.map((backend) => startEcho(backend, pathOf(backend), log)));
  const calls = await startCallee(pathOf(callee));
  const names = Object.keys(objects);
  const socketOf = (name: string, port: number): string => join(folder, `${names.indexOf(name)}.${port}.sock`);
  const listeners = names.flatMap((name) =>
    listenersOfRequests(objects[name] ?? '').map(({ port, filters }) => ({
      name: `${name} ${port}`,
      address: { pipe: { path: socketOf(name, port) } },
      filter_chains: [{ filters }],
    })),
  );
  const clusters = [
    ...backends.map((it) => clusterOf(it, pathOf(it))),
    { ...clusterOf(callee, pathOf(callee)), ...http2 },
  ];
  const envoy = await startStaticEnvoy(folder, { listeners, clusters });
  for (const { address } of listeners) {
    await envoy.until(() => isAnswered(ask(address.pipe.path, { path: '/ready' })));
  }
  log.length = 0;
  return {
    send: (name, request = {}, port = 80) => ask(socketOf(name, port), request),
    call: (name, path, options) => askCall(socketOf(name, 80), path, options),
    received: () => log.splice(0),
    close: async () => {
      await envoy.close();
      calls.close();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const http2 = {
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    },
  },
};

/** The filters of the one chain of each listener. */
function listenersOfRequests(text: string): readonly { readonly port: number; readonly filters: readonly object[] }[] {
  return compiledListeners(text).flatMap(({ port, filter_chains: [chain] }) =>
    chain === undefined || (port !== 80 && port !== 8080) ? [] : [{ port, filters: chain.filters }],
  );
}

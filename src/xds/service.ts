import type {
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
} from '@grpc/grpc-js';
import { stateOfTheWorldCodec } from './codec.ts';
import { type AnyRequest, type AnyResponse, deltaForm, type ProtocolForm, stateOfTheWorldForm } from './form.ts';
import type { DiscoveryObserver } from './observer.ts';
import type { ResourceStore } from './resource-store.ts';
import type { StreamScope } from './scope.ts';
import { type Session, serveSession } from './session.ts';
import { StateOfTheWorldStream } from './state-of-the-world.ts';
import type { Turns } from './turns.ts';

/** One gRPC service of the discovery protocol: its name, its methods, and what is behind it. */
export interface DiscoveryService {
  /** `envoy.service.secret.v3.SecretDiscoveryService` */
  readonly name: string;
  readonly streamMethod: string;
  readonly deltaMethod: string;
  /** The unary form; a service of several types has none. */
  readonly fetch?: { readonly method: string; readonly store: ResourceStore };
  /** What a stream is served, by who asks and by the first request; `StreamRefusal`: nothing. */
  admit(call: ServerDuplexStream<Buffer, Buffer>, first: AnyRequest): StreamScope | Promise<StreamScope>;
}

/**
 * Adds the service to a gRPC server that does not serve yet; `sessions` holds the streams that are open. With `turns` their
 * requests are taken piece by piece.
 */
export function addDiscoveryService(
  server: Server,
  service: DiscoveryService,
  observer: DiscoveryObserver,
  sessions: Set<Session>,
  turns?: Turns,
): void {
  const carry = <Request extends AnyRequest, Response extends AnyResponse>(form: ProtocolForm<Request, Response>) => {
    const admit = (call: ServerDuplexStream<Buffer, Buffer>, first: Request) => service.admit(call, first);
    const kind = { form, admit, observer, sessions, turns };
    return (call: ServerDuplexStream<Buffer, Buffer>): void => serveSession(call, kind);
  };
  const { fetch } = service;
  server.addService(definitionOf(service), {
    [service.streamMethod]: carry(stateOfTheWorldForm),
    [service.deltaMethod]: carry(deltaForm),
    ...(fetch && {
      [fetch.method]: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void =>
        answer(null, fetchOnce(fetch.store, call.request)),
    }),
  });
}

function definitionOf(service: DiscoveryService): ServiceDefinition {
  const method = (name: string, isStream: boolean): MethodDefinition<Buffer, Buffer> => ({
    path: `/${service.name}/${name}`,
    requestStream: isStream,
    responseStream: isStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  });
  return {
    [service.streamMethod]: method(service.streamMethod, true),
    [service.deltaMethod]: method(service.deltaMethod, true),
    ...(service.fetch && { [service.fetch.method]: method(service.fetch.method, false) }),
  };
}

/** The unary form: what is there now, an empty response when nothing is. */
function fetchOnce(store: ResourceStore, bytes: Buffer): Buffer {
  const { typeUrl } = store.type;
  const request = { ...stateOfTheWorldCodec.decode(bytes), responseNonce: '', versionInfo: '' };
  const { response } = new StateOfTheWorldStream(store, () => '1').receive(request);
  return stateOfTheWorldCodec.encode(response ?? { typeUrl, versionInfo: '', nonce: '', resources: [] });
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

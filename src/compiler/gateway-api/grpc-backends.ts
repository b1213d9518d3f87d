import type { WeightedBackendRef } from '../../policy/gateway-api.ts';
import { isHttp2 } from '../topology/protocol.ts';
import { selectProtocol } from '../topology/protocol-selection.ts';
import type { BackendContext, BackendPlace } from './backends.ts';

/** Reports a backend of calls whose port does not say that it speaks HTTP/2, without which there is no gRPC. */
export function checkGrpcBackend(
  { name, namespace, port: number = 0 }: WeightedBackendRef,
  { route, path }: Omit<BackendPlace, 'otherwise'>,
  { services, bag }: BackendContext,
): void {
  const backend = `${namespace ?? route.namespace}/${name}`;
  const port = services.get(backend)?.spec.ports?.find((it) => it.port === number);
  const protocol = selectProtocol({ number, name: port?.name ?? '', appProtocol: port?.appProtocol });
  if (isHttp2(protocol)) return;
  const found = protocol === 'auto' ? 'no protocol' : `the protocol "${protocol}"`;
  bag.report('grpc-over-http1', route.document.spanOf([...path, 'port']), { backend, port: String(number), found });
}

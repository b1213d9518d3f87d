import protobuf from 'protobufjs';

const field = (type: string, id: number, rule?: 'repeated') => ({ type, id, ...(rule === undefined ? {} : { rule }) });

const stringMap = (id: number): protobuf.IMapField => ({ keyType: 'string', type: 'string', id });

const messages: protobuf.INamespace = {
  nested: {
    Any: { fields: { typeUrl: field('string', 1), value: field('bytes', 2) } },
    Status: { fields: { code: field('int32', 1), message: field('string', 2) } },
    Node: { fields: { id: field('string', 1), cluster: field('string', 2) } },
    DiscoveryRequest: {
      fields: {
        versionInfo: field('string', 1),
        node: field('Node', 2),
        resourceNames: field('string', 3, 'repeated'),
        typeUrl: field('string', 4),
        responseNonce: field('string', 5),
        errorDetail: field('Status', 6),
      },
    },
    DiscoveryResponse: {
      fields: {
        versionInfo: field('string', 1),
        resources: field('Any', 2, 'repeated'),
        typeUrl: field('string', 4),
        nonce: field('string', 5),
      },
    },
    DeltaDiscoveryRequest: {
      fields: {
        node: field('Node', 1),
        typeUrl: field('string', 2),
        resourceNamesSubscribe: field('string', 3, 'repeated'),
        resourceNamesUnsubscribe: field('string', 4, 'repeated'),
        initialResourceVersions: stringMap(5),
        responseNonce: field('string', 6),
        errorDetail: field('Status', 7),
      },
    },
    Resource: { fields: { version: field('string', 1), resource: field('Any', 2), name: field('string', 3) } },
    DeltaDiscoveryResponse: {
      fields: {
        systemVersionInfo: field('string', 1),
        resources: field('Resource', 2, 'repeated'),
        typeUrl: field('string', 4),
        nonce: field('string', 5),
        removedResources: field('string', 6, 'repeated'),
      },
    },
  },
};

const root = protobuf.Root.fromJSON(messages);

export type WireMessage = 'DiscoveryRequest' | 'DiscoveryResponse' | 'DeltaDiscoveryRequest' | 'DeltaDiscoveryResponse';

/**
 * Bytes of a message of the discovery protocol (field numbers of envoy/service/discovery/v3/discovery.proto). Resources
 * are opaque `Any` values here: the engine is independent of their types, and starting it does not load Envoy's whole API.
 */
export function encodeWire(message: WireMessage, value: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(root.lookupType(message).encode(value).finish());
}

/** Fields of a message, absent ones with their defaults. Throws when the bytes are no such message. */
export function decodeWire(message: WireMessage, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const type = root.lookupType(message);
  return type.toObject(type.decode(bytes), { defaults: true, arrays: true, objects: true });
}

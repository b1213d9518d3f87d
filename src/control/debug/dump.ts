import { decodeMessage } from '../../envoy/api/decode.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import type { ServedProxy } from '../push/mesh-snapshot.ts';
import { debugFormat } from './answers.ts';

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** The resources that a proxy (`<namespace>/<name>`) should have, as messages; of its secrets only public parts. */
export function dumpOf(proxy: string, { views }: ServedProxy): object {
  const secrets = views.secrets.all.map(({ body }) => withoutKey(messageOf(secretTypeUrl, body)));
  return { format: debugFormat, proxy, ...resourcesOf(views), secrets };
}

/** Resources by type, as messages. */
export function resourcesOf(views: Partial<Record<ConfigurationList, ResourceView>>): Readonly<Record<string, object>> {
  return Object.fromEntries(
    lists.flatMap((list) => {
      const resources = views[list]?.all.map(({ name, version, body }) => {
        return { name, version, resource: messageOf(configurationTypes[list].typeUrl, body) };
      });
      return resources === undefined ? [] : [[list, resources]];
    }),
  );
}

/** Bytes of a type (`type.googleapis.com/…`) as a message. */
function messageOf(typeUrl: string, body: Uint8Array): object {
  return decodeMessage(typeUrl.slice(typeUrl.indexOf('/') + 1), body) as object;
}

interface SecretMessage {
  readonly name?: string;
  readonly tls_certificate?: { readonly certificate_chain?: object };
  readonly validation_context?: { readonly trusted_ca?: object };
}

/**
 * Copies single fields, so that no private field is included. The version is omitted, because it would confirm a guess of the
 * key.
 */
function withoutKey({ name, tls_certificate, validation_context }: SecretMessage): object {
  const pair = tls_certificate && {
    certificate_chain: tls_certificate.certificate_chain,
    private_key: { inline_string: '[redacted]' },
  };
  const authorities = validation_context && { trusted_ca: validation_context.trusted_ca };
  return { name, ...(pair && { tls_certificate: pair }), ...(authorities && { validation_context: authorities }) };
}

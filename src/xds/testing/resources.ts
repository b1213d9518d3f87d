import { contentVersion, type DiscoveryResource } from '../resource.ts';

/** A type whose resources are asked for by name, and one whose clients may ask for all. */
export const named = { typeUrl: 'type.googleapis.com/test.Named', hasWildcard: false };
export const wild = { typeUrl: 'type.googleapis.com/test.Wild', hasWildcard: true };

/** A resource with `name=content` as its bytes. */
export const resource = (name: string, content: string): DiscoveryResource => ({
  name,
  version: contentVersion(content),
  body: Buffer.from(`${name}=${content}`),
});

/** Nonces `1`, `2`, … */
export const nonces = (): (() => string) => {
  let count = 0;
  return () => String(++count);
};

/** Types of a proxy's configuration. */
export const namedConfiguration = { ...named, isConfiguration: true };
export const wildConfiguration = { ...wild, isConfiguration: true };

import { append } from '../../lib/append.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Rule } from '../rule.ts';

/** From so many namespaces on, copies of one policy are told. */
const fewestCopies = 3;

const kinds = ['PeerAuthentication', 'RequestAuthentication', 'AuthorizationPolicy'];

/** Copies of one policy, of which one is forgotten at the next change. */
export const rule: Rule = {
  code: 'same-policy-in-many-namespaces',
  id: 'MP903',
  severity: 'info',
  category: 'hygiene',
  direction: 'none',
  confidence: 'certain',
  kinds,
  needs: 'policies',
  since: '0.1.0',
  title: `one policy copied into ${fewestCopies} or more namespaces`,
  why: 'every change has to be made in each copy, and a copy that is forgotten behaves differently',
  hint: 'if the policy is meant for the whole mesh, write it once in the root namespace; else generate the copies',
  check({ snapshot, report }) {
    const copies = new Map<string, MeshObject<string>[]>();
    for (const object of snapshot.objects) {
      if (!kinds.includes(object.kind)) continue;
      append(copies, JSON.stringify([object.kind, object.document.value.spec ?? {}]), object);
    }
    for (const [first, ...others] of copies.values()) {
      const namespaces = new Set([first, ...others].map((object) => object?.namespace));
      if (first === undefined || namespaces.size < fewestCopies) continue;
      report({
        ...{ object: first, path: ['metadata', 'name'] },
        message: `${namespaces.size} namespaces have a ${first.kind} with this very content`,
        related: others.slice(0, 3).map((object) => ({ object, path: ['metadata', 'name'], message: 'a copy' })),
      });
    }
  },
};

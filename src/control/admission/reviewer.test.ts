import { describe, expect, test } from 'vitest';
import type { AdmissionQuestion, NamespaceTexts } from './admission-messages.ts';
import { Reviewer } from './reviewer.ts';
import { type ReviewParts, reviewOf } from './testing/reviews.ts';

const enabled = { 'mesh-injection': 'enabled' };
const disabled = { 'mesh-injection': 'disabled' };
const pod = {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};

/** A reviewer with settings, and what it says of the pod: the images that it adds, `nothing`, or what it wants. */
function given() {
  const reviewer = new Reviewer({ revision: 'default' });
  const use = (text: string) =>
    reviewer.take({
      settings: { revision: 'default', ownNamespace: 'mesh-system', meshConfig: { path: 'mesh.yaml', text } },
    });
  void use('');
  const ask = async (namespaceLabels?: NamespaceTexts): Promise<string> => {
    const said = await reviewer.take({
      question: {
        ...{ id: 1, webhook: 'inject', text: JSON.stringify(reviewOf({ object: pod })), location: {} },
        ...(namespaceLabels !== undefined && { namespaceLabels }),
      },
    });
    if (said !== undefined && 'wants' in said) return `wants ${said.wants}`;
    if (said === undefined || !('reply' in said)) throw new Error('there is no reply');
    const { patch } = JSON.parse(said.reply.body).response as { readonly patch?: string };
    const text = Buffer.from(patch ?? '', 'base64').toString();
    return [...new Set(text.match(/mesh-agent:[^"]+/g))].join() || 'nothing';
  };
  return { reviewer, use, ask };
}

/** With a protocol that is not supported. */
const gateway = {
  ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', metadata: { name: 'edge', namespace: 'shop' } },
  spec: { gatewayClassName: 'mesh', listeners: [{ name: 'a', port: 80, protocol: 'TCP' }] },
};
const nobody = { classes: [], gateways: [] };

/** What a reviewer says of an object of the Gateway API: what is next, or the number of warnings. */
function advising() {
  const reviewer = new Reviewer({ revision: 'default' });
  return async (parts: ReviewParts, known: Pick<AdmissionQuestion, 'serving' | 'wasPutOff'> = {}) => {
    const text = JSON.stringify(reviewOf(parts));
    const said = await reviewer.take({ question: { id: 1, webhook: 'validate', text, location: {}, ...known } });
    if (said === undefined || !('reply' in said)) return said;
    const { allowed, warnings = [] } = JSON.parse(said.reply.body).response;
    return allowed ? warnings.length : 'refused';
  };
}

describe('a reviewer of objects of the Gateway API', () => {
  test('examines them when others have been answered, and says so by who serves them', async () => {
    const ask = advising();
    expect(await ask({ object: gateway })).toEqual({ id: 1, canWait: true });
    expect(await ask({ object: gateway }, { wasPutOff: true })).toEqual({
      ...{ id: 1, missing: { classes: ['mesh'], gateways: [] } },
    });
    expect(await ask({ object: gateway }, { wasPutOff: true, serving: nobody })).toBe(1);
  });

  test('examines each once, and anew where another thread has done so', async () => {
    const ask = advising();
    const [listener] = gateway.spec.listeners;
    const other = { ...gateway, spec: { ...gateway.spec, listeners: [{ ...listener, protocol: 'HTTP' }] } };
    await ask({ object: gateway }, { wasPutOff: true });
    // What was found in the first text is said again.
    expect(await ask({ object: other }, { serving: nobody })).toBe(1);
    expect(await ask({ object: other }, { serving: nobody })).toBe(0);
    expect(await ask({ object: gateway }, { serving: nobody })).toBe(1);
  });

  test('examines none that is larger than a limit, that nobody knows the server of, or whose metadata alone is new', async () => {
    const ask = advising();
    const metadata = { ...gateway.metadata, annotations: { a: 'x'.repeat(100_000) } };
    expect(await ask({ object: { ...gateway, metadata } })).toBe(0);
    expect(await ask({ object: gateway }, { serving: 'unknown' })).toBe(0);
    expect(await ask({ object: gateway, oldObject: gateway, operation: 'UPDATE' })).toBe(0);
  });
});

describe('a reviewer', () => {
  test('asks for the labels of a namespace that it was not told of', async () => {
    const { ask } = given();
    expect([await ask(), await ask(enabled), await ask()]).toEqual(['wants shop', 'mesh-agent:0.1.0', 'wants shop']);
  });

  test('goes by the labels that it was told last, until the namespace is gone', async () => {
    const { reviewer, ask } = given();
    await reviewer.take({ namespaces: new Map([['shop', enabled]]) });
    expect(await ask()).toBe('mesh-agent:0.1.0');
    await reviewer.take({ namespace: 'shop', labels: disabled });
    // What was found for the question is older.
    expect([await ask(), await ask(enabled)]).toEqual(['nothing', 'nothing']);
    await reviewer.take({ namespace: 'shop', labels: enabled });
    expect(await ask()).toBe('mesh-agent:0.1.0');
    await reviewer.take({ namespace: 'shop', labels: undefined });
    expect(await ask()).toBe('wants shop');
    await reviewer.take({ namespace: 'shop', labels: enabled });
    await reviewer.take({ namespaces: new Map([['other', enabled]]) });
    expect(await ask()).toBe('wants shop');
  });

  test('goes by the settings that it was told last, and keeps those where new ones are faulty', async () => {
    const { use, ask } = given();
    expect(await ask(enabled)).toBe('mesh-agent:0.1.0');
    await use('injection: {image: "mesh-agent:2"}\n');
    expect(await ask(enabled)).toBe('mesh-agent:2');
    expect(await use('injection: {image: 3}\n')).toMatchObject({ refusedSettings: expect.stringContaining('image') });
    expect(await ask(enabled)).toBe('mesh-agent:2');
  });

  test('says in which annotation of a pod the fault is', async () => {
    const { reviewer } = given();
    const annotations = { 'proxy.mesh.io/config': '{concurrency: [}' };
    const object = { ...pod, metadata: { ...pod.metadata, annotations } };
    const text = JSON.stringify(reviewOf({ object }));
    const question = { id: 1, webhook: 'inject', text, location: {}, namespaceLabels: enabled } as const;
    const said = await reviewer.take({ question });
    const { status } = JSON.parse(said !== undefined && 'reply' in said ? said.reply.body : '{}').response;
    expect(status.message).toMatch(
      /^the pod cannot get its proxy: annotation proxy\.mesh\.io\/config: .*\[yaml-syntax\]/,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { runs } from '../testing/effort.ts';
import { edgeObject, edgeTopology } from '../testing/generated-edge.ts';
import { meshTopology } from '../testing/generated-mesh.ts';
import { policies } from '../testing/generated-policies.ts';
import { type Compiler, createCompiler } from './compile.ts';
import type { SourceFile } from './source/document.ts';

const topology = [meshTopology(), edgeTopology()];
const versions = { PeerAuthentication: 'security.mesh.io/v1beta1', DestinationRule: 'networking.mesh.io/v1alpha3' };

/** Objects of all six kinds, each a text that wants a name. */
const objects = fc
  .tuple(
    fc.array(edgeObject(), { minLength: 3, maxLength: 8 }),
    policies().map((list) => list.map((policy) => ({ apiVersion: versions[policy.kind], ...policy }))),
  )
  .map(([edge, peers]) => [...edge, ...peers]);

const edits = fc.array(fc.tuple(fc.nat(), fc.option(edgeObject(), { freq: 3, nil: undefined })), {
  minLength: 1,
  maxLength: 4,
});

describe('compile', () => {
  test('gives after each change what a fresh compiler gives, for policies of all six kinds', () => {
    let compiled = 0;
    fc.assert(
      fc.property(objects, edits, (before, changes) => {
        const known = createCompiler({ settings: defaultSettings });
        const files = before.map(fileOf);
        expect(outcome(known, files)).toEqual(outcome(createCompiler({ settings: defaultSettings }), files));
        for (const [place, replacement] of changes) {
          const index = place % files.length;
          const own = replacement === undefined ? [] : [fileOf(replacement, index)];
          files.splice(index, own.length === 0 && files.length === 1 ? 0 : 1, ...own);
          const after = outcome(known, files);
          if (after.texts !== undefined) compiled += 1;
          expect(after).toEqual(outcome(createCompiler({ settings: defaultSettings }), files));
        }
      }),
      runs(6),
    );
    expect(compiled).toBeGreaterThan(4);
  });

  test('gives the same bytes and diagnostics whatever the order of policies of all six kinds', () => {
    fc.assert(
      fc.property(objects, fc.infiniteStream(fc.nat()), (list, order) => {
        const files = list.map(fileOf);
        const keys = new Map(files.map((file) => [file, order.next().value as number]));
        const shuffled = [...files].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
        const compiler = () => createCompiler({ settings: defaultSettings });
        expect(outcome(compiler(), shuffled)).toEqual(outcome(compiler(), files));
      }),
      runs(6),
    );
  });
});

function fileOf(object: { readonly metadata: object }, index: number): SourceFile {
  const metadata = { ...object.metadata, name: `o${index}` };
  return { path: `${index}.yaml`, text: stringify({ ...object, metadata }) };
}

interface Outcome {
  readonly texts: readonly string[] | undefined;
  readonly diagnostics: readonly string[];
}

function outcome(compiler: Compiler, files: readonly SourceFile[]): Outcome {
  const bag = new DiagnosticBag();
  const compilation = compiler.compile([...topology, ...files], 'all', bag);
  const texts = compilation?.configs.flatMap(({ bootstrap, listeners, clusters, routes }) =>
    [bootstrap, ...listeners, ...clusters, ...routes].map(({ text }) => text),
  );
  const diagnostics = bag.all.map(({ code, message, span }) => `${span?.file}:${span?.start} ${code} ${message}`);
  return { texts, diagnostics: [...new Set(diagnostics)].sort() };
}

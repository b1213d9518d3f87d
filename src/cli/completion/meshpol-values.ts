import type { InputNames } from '../../completion/input-names.ts';
import {
  always,
  fileAfterEquals,
  type Offer,
  plainWords,
  type ValueRequest,
  type ValueTable,
} from '../../completion/value-source.ts';
import { lintForms } from '../lint-settings.ts';

/** The script of `meshpol lint`, which knows rules and reads inputs; loaded when a value needs it. */
const known = () => import('../lint-command.ts');

const namesIn = async (inputs: readonly string[]): Promise<InputNames> => (await known()).inputNames(inputs);

/** Workloads of the inputs that have a proxy. */
async function workloadsIn({ inputs }: ValueRequest): Promise<Offer> {
  const { workloads } = await namesIn(inputs);
  return { words: workloads.map((it) => ({ word: `${it.namespace}/${it.name}`, description: it.kind })) };
}

/** Values of `meshpol` beside choices and paths. */
export const meshpolValues: ValueTable = {
  '--workload': workloadsIn,
  'describe WORKLOAD': workloadsIn,
  'explain --from': workloadsIn,
  'explain --to': workloadsIn,
  'replay --proxy': workloadsIn,
  '--root-namespace': async ({ inputs }) => plainWords((await namesIn(inputs)).namespaces),
  '--rule': async () => ({ words: (await known()).ruleNames().rules }),
  '--category': async () => plainWords((await known()).ruleNames().categories),
  '--jwks': fileAfterEquals(() => ({})),
  '--injectionTemplate': fileAfterEquals(() => ({})),
  '--revision': () => ({}),
  'lint --output': fileAfterEquals(always(...lintForms)),
  'rules CODE': async () => {
    const { rules, diagnostics } = (await known()).ruleNames();
    return { words: [...rules, ...diagnostics] };
  },
  'rules --from': async () => plainWords((await known()).ruleNames().peers),
  'schema KIND': async () => plainWords((await import('../../library/schemas.ts')).schemaKinds()),
};

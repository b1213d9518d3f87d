import { type Compiler, createCompiler } from '../compiler/compile.ts';
import type { Templates } from '../compiler/render/templates.ts';
import type { UserBootstrap } from '../compiler/render/user-bootstrap.ts';
import type { HostFacts } from '../config/host-facts.ts';
import type { Settings } from '../config/settings.ts';

/** A compiler remembers what it compiled; another one is made only when what it was made with differs. */
export function rememberCompiler(): (inputs: CompilerInputs) => Compiler {
  let made: { readonly key: string; readonly compiler: Compiler } | undefined;
  return (inputs) => {
    const { settings, templates, host, bootstrap, readsGatewayApi } = inputs;
    const key = keyOf(inputs);
    if (made?.key !== key) {
      const options = {
        settings,
        host,
        bootstrap,
        skipsGatewayApi: !readsGatewayApi,
        program: 'pilot-agent' as const,
        ...(templates === undefined ? {} : { templates }),
      };
      made = { key, compiler: createCompiler(options) };
    }
    return made.compiler;
  };
}

function keyOf({ settings, templates, host, bootstrap, readsGatewayApi }: CompilerInputs): string {
  const written = [bootstrap.custom, bootstrap.override].map((message) => message && [message.file, message.json]);
  return JSON.stringify([settings, templates?.key, host, written, readsGatewayApi]);
}

/** What a compiler is made with. */
export interface CompilerInputs {
  readonly settings: Settings;
  readonly templates: Templates | undefined;
  readonly host: HostFacts;
  readonly bootstrap: UserBootstrap;
  /** Objects of the Gateway API are not skipped. */
  readonly readsGatewayApi: boolean;
}

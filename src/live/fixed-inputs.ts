import type { TemplateFile } from '../compiler/render/template-file.ts';
import { loadTemplates } from '../compiler/render/templates.ts';
import { type BootstrapTexts, parseUserBootstrap } from '../compiler/render/user-bootstrap.ts';
import type { HostFacts } from '../config/host-facts.ts';
import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import type { CompilerInputs } from './remember-compiler.ts';

/**
 * What does not stand in policies: settings, templates, the user's bootstrap, facts of the machine. All of it is plain
 * data, so that another thread can make the same compiler of it when the files hold something else already.
 */
export interface FixedInputs {
  readonly settings: Settings;
  readonly host: HostFacts;
  /** Undefined: the built-in ones. */
  readonly templates: readonly TemplateFile[] | undefined;
  readonly bootstrap: BootstrapTexts;
  /** Objects of the Gateway API are not skipped. */
  readonly readsGatewayApi: boolean;
  /** The files of all these as diagnostics may show them: no secrets. */
  readonly texts: readonly SourceFile[];
}

/** What a compiler is made with of them; undefined when the bag got an error. */
export async function compilerInputsOf(fixed: FixedInputs, bag: DiagnosticBag): Promise<CompilerInputs | undefined> {
  const { settings, host, readsGatewayApi } = fixed;
  const templates = fixed.templates && (await loadTemplates(fixed.templates, bag));
  const bootstrap = parseUserBootstrap(fixed.bootstrap, bag);
  return bag.hasErrors ? undefined : { settings, templates, host, bootstrap, readsGatewayApi };
}

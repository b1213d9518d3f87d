import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceText } from '../diagnostics/placed.ts';
import { settingSpan } from './setting-span.ts';
import type { Settings } from './settings.ts';

/** What takes the place of the files that settings name. */
export interface OtherBootstrap {
  readonly isCustom: boolean;
  readonly isTemplate: boolean;
}

/**
 * Reports the file that settings name for the bootstrap, for compilations that open no such file: pilot-agent does, on the
 * machine that it runs on. Nothing where the caller gives a bootstrap or a template itself.
 */
export function reportUnreadBootstrap(
  { proxy, origins }: Settings,
  files: readonly SourceText[],
  { isCustom, isTemplate }: OtherBootstrap,
  bag: DiagnosticBag,
): void {
  if (isCustom) return;
  const [setting, field, path, isGiven] = proxy.customConfigFile
    ? (['customConfigFile', 'customConfigFile', proxy.customConfigFile, false] as const)
    : (['bootstrapTemplatePath', 'proxyBootstrapTemplatePath', proxy.bootstrapTemplatePath, isTemplate] as const);
  if (path === '' || isGiven) return;
  const origin = origins[`proxy.${setting}`];
  bag.report('bootstrap-not-read', origin && settingSpan(origin, files), { field, path });
}

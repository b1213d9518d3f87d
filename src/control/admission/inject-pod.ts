import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { skipTexts } from '../../injection/decide.ts';
import { inject } from '../../injection/inject.ts';
import { patch } from '../../injection/patch.ts';
import type { PodLocation, PodObject, Texts } from '../../injection/pod.ts';
import { type InjectionInputs, type InjectionSettings, readInjectionSettings } from '../../injection/settings.ts';
import type { AdmissionRequest, Ruling } from './admission-review.ts';

/** Gives pods their proxies, as the settings say that were good last. */
export class PodInjector {
  #settings: InjectionSettings | undefined;

  /** From now on these settings hold; what is wrong with them, as words, where they do not. */
  use(inputs: InjectionInputs): string | undefined {
    const bag = new DiagnosticBag();
    const settings = readInjectionSettings(inputs, bag);
    if (settings === undefined) return format(bag.all, inputs.meshConfig ? [inputs.meshConfig] : [], 'text').trimEnd();
    this.#settings = settings;
    return undefined;
  }

  /**
   * What becomes of a pod that is created. A pod that cannot get the proxy that it is to have is refused: without one, nobody
   * would hold it to its policies.
   */
  rule(
    { kind, operation, namespace = '', object }: AdmissionRequest,
    namespaceLabels: Texts,
    location: PodLocation,
  ): Ruling {
    if (kind.group !== '' || kind.kind !== 'Pod' || operation !== 'CREATE' || object === undefined)
      return { isAllowed: true, note: 'only new pods get proxies' };
    if (this.#settings === undefined)
      return { isAllowed: false, message: 'there are no valid settings of injection yet' };
    const pod = object as PodObject;
    const injection = inject({ pod, namespace, namespaceLabels, ...location }, this.#settings);
    if (injection.kind === 'refused') {
      const errors = injection.diagnostics.filter(({ severity }) => severity === 'error');
      const warnings = injection.diagnostics.filter(({ severity }) => severity === 'warning').map(textOf);
      return { isAllowed: false, warnings, message: `the pod cannot get its proxy: ${errors.map(textOf).join('\n')}` };
    }
    const warnings = injection.warnings.map(textOf);
    if (injection.kind === 'skipped') return { isAllowed: true, warnings, note: skipTexts[injection.reason] };
    return { isAllowed: true, warnings, patch: patch(pod, injection.pod) };
  }
}

/** A place is one in an annotation, whose text is YAML. */
function textOf({ message, code, hint, span }: Diagnostic): string {
  return `${span === undefined ? '' : `${span.file}: `}${message} [${code}]${hint === undefined ? '' : `; ${hint}`}`;
}

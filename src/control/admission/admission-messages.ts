import type { PodLocation } from '../../injection/pod.ts';
import type { InjectionInputs } from '../../injection/settings.ts';
import type { ServingNames, ServingObjects } from '../../live/others-objects.ts';
import type { AdmissionReply } from './answer-review.ts';

/** Which rule an object is held against. */
export type WebhookName = 'validate' | 'inject';

/** What the thread is begun with. */
export interface AdmissionData {
  /** Of the control plane. */
  readonly revision: string;
  /** Objects of the Gateway API are not read: policies that name them are refused. */
  readonly skipsGatewayApi?: boolean | undefined;
}

/** A review, for the thread. */
export interface AdmissionQuestion {
  readonly id: number;
  readonly webhook: WebhookName;
  readonly text: string;
  /** Cluster and network of the pods, as the path of the webhook names them. */
  readonly location: PodLocation;
  /** Of the namespace of a pod that may get a proxy, for a thread that asked for them. */
  readonly namespaceLabels?: NamespaceTexts;
  /** Which of the objects there are that the thread asked for; `unknown`: nobody says so. */
  readonly serving?: ServingObjects | 'unknown';
  /** An object that is only advised was put off until now, and may be examined. */
  readonly wasPutOff?: true;
}

/** Labels of a namespace. */
export type NamespaceTexts = Readonly<Record<string, string>>;

/** To the thread, which takes messages in their order. */
export type ToAdmission =
  | { readonly question: AdmissionQuestion }
  | { readonly settings: InjectionInputs }
  /** All that are known. */
  | { readonly namespaces: ReadonlyMap<string, NamespaceTexts> }
  /** One that is new or has changed; undefined: it is gone. */
  | { readonly namespace: string; readonly labels: NamespaceTexts | undefined };

/**
 * From the thread: an answer, the namespace or the objects of the Gateway API that it must know about first, that a review may
 * wait until there are no others, or what is wrong with settings, which are not used then.
 */
export type FromAdmission =
  | { readonly id: number; readonly wants: string }
  | { readonly id: number; readonly missing: ServingNames }
  | { readonly id: number; readonly canWait: true }
  | { readonly id: number; readonly reply: AdmissionReply }
  | { readonly refusedSettings: string };

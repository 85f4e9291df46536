package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import org.jspecify.annotations.Nullable;

/**
 * Records what is started and stopped.
 */
class ObservationRecorder implements ObservationHandler<Observation.Context> {

	final Queue<Observation.Context> stopped = new ConcurrentLinkedQueue<>();

	final Queue<String> started = new ConcurrentLinkedQueue<>();

	final Queue<String> events = new ConcurrentLinkedQueue<>();

	@Override
	public boolean supportsContext(Observation.Context context) {
		return true;
	}

	@Override
	public void onStart(Observation.Context context) {
		this.started.add(String.valueOf(context.getName()));
	}

	@Override
	public void onEvent(Observation.Event event, Observation.Context context) {
		this.events.add(event.getName());
	}

	@Override
	public void onStop(Observation.Context context) {
		this.stopped.add(context);
	}

	List<String> outcomes() {
		return this.stopped.stream().map((observed) -> value(observed, "outcome")).toList();
	}

	/** What was stopped, each with its parent. */
	List<String> tree() {
		return this.stopped.stream().map((observed) -> {
			ObservationView parent = observed.getParentObservation();
			return name(observed) + ((parent != null) ? " < " + name(parent.getContextView()) : "");
		}).toList();
	}

	private static String name(Observation.ContextView context) {
		@Nullable String contextual = context.getContextualName();
		return (contextual != null) ? contextual : String.valueOf(context.getName());
	}

	static String value(Observation.Context observed, String key) {
		KeyValue found = observed.getLowCardinalityKeyValue(key);
		return (found != null) ? found.getValue() : "";
	}

}

package io.github.distlock.torture.check;

import java.util.List;

import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/**
 * S6: unlocking a lock that is not held always throws an exception.
 */
final class UnheldUnlockRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		return history.events(Kind.UNHELD)
			.stream()
			.filter((event) -> !event.text("threw").equals(IllegalMonitorStateException.class.getSimpleName()))
			.map((event) -> new Violation("S6", event.text("what") + " ended with " + event.text("threw"),
					List.<Event>of(event)))
			.toList();
	}

}

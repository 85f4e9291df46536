package io.github.distlock.simulation;

import java.util.List;
import java.util.Set;

/**
 * Leaves out faults of a history that violates a property, one by one, while it still
 * violates the same property. What remains is the reason, or a good hint.
 */
final class Shrinker {

	private static final int TRACE_LINES = 40;

	private Shrinker() {
	}

	static Shrunk shrink(Plan plan) {
		Simulation.Result result = Simulation.live(plan, true);
		if (result.violations().isEmpty()) {
			return new Shrunk(plan, plan, result);
		}
		String property = result.violations().get(0).property();
		Plan smallest = plan;
		boolean smaller = true;
		while (smaller) {
			smaller = false;
			for (Fault fault : smallest.faults()) {
				Plan candidate = smallest.without(Set.of(fault.number()));
				Simulation.Result tried = Simulation.live(candidate, true);
				if (tried.violations().stream().anyMatch((violation) -> violation.property().equals(property))) {
					smallest = candidate;
					result = tried;
					smaller = true;
				}
			}
		}
		return new Shrunk(plan, smallest, result);
	}

	/** A history without the faults that it does not need. */
	record Shrunk(Plan original, Plan smallest, Simulation.Result result) {

		boolean isViolated() {
			return !this.result.violations().isEmpty();
		}

		/** For the message of a test. */
		String report() {
			StringBuilder text = new StringBuilder("Seed ").append(this.original.seed());
			if (!isViolated()) {
				return text.append(" violates nothing in this JVM: its history is not repeatable").toString();
			}
			text.append(" violates:\n");
			this.result.violations().stream().limit(5).forEach((violation) -> line(text, violation));
			text.append("Faults that this needs, ")
				.append(this.smallest.faults().size())
				.append(" of ")
				.append(this.original.faults().size())
				.append(":\n");
			this.smallest.faults().forEach((fault) -> line(text, fault));
			text.append("The plan:\n");
			line(text, this.smallest);
			text.append("The history with these faults only, up to the first violation:\n");
			untilFirstViolation().forEach((event) -> line(text, event));
			return text.append("Replay: mvn -pl distlock-autoconfigure test -Dtest=SimulationTests -Dsimulation.seed=")
				.append(this.original.seed())
				.append(" -Dsimulation.trace=true")
				.toString();
		}

		private List<String> untilFirstViolation() {
			List<String> trace = this.result.trace();
			int end = trace.size();
			for (int i = trace.size() - 1; i >= 0; i--) {
				end = trace.get(i).contains(" VIOLATION ") ? i + 1 : end;
			}
			return trace.subList(Math.max(0, end - TRACE_LINES), end);
		}

		private static void line(StringBuilder text, Object content) {
			text.append("  ").append(content).append('\n');
		}

	}

}

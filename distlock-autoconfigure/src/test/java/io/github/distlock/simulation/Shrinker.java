package io.github.distlock.simulation;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static java.util.stream.Collectors.joining;

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

	record Shrunk(Plan original, Plan smallest, Simulation.Result result) {

		String report() {
			long seed = this.original.seed();
			if (this.result.violations().isEmpty()) {
				return "Seed " + seed + " violates nothing in this JVM: its history is not repeatable";
			}
			return """
					Seed %1$d violates:
					%2$sFaults that this needs, %3$d of %4$d:
					%5$sThe plan:
					%6$sThe history with these faults only, up to the first violation:
					%7$sReplay: mvn -pl distlock-autoconfigure test -Dtest=SimulationTests -Dsimulation.seed=%1$d -Dsimulation.trace=true"""
				.formatted(seed, lines(this.result.violations().stream().limit(5)), this.smallest.faults().size(),
						this.original.faults().size(), lines(this.smallest.faults().stream()),
						lines(Stream.of(this.smallest)), lines(untilFirstViolation().stream()));
		}

		private List<String> untilFirstViolation() {
			List<String> trace = this.result.trace();
			int end = trace.size();
			for (int i = trace.size() - 1; i >= 0; i--) {
				end = trace.get(i).contains(" VIOLATION ") ? i + 1 : end;
			}
			return trace.subList(Math.max(0, end - TRACE_LINES), end);
		}

		private static String lines(Stream<?> contents) {
			return contents.map((content) -> "  " + content + "\n").collect(joining());
		}

	}

}

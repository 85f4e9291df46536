package io.github.distlock.aop;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;

/**
 * Collects the problems of the annotations of an application for one report.
 */
final class LockProblems {

	/** By message, because a class is checked for each of its beans. */
	private final Map<String, Problem> problems = Collections.synchronizedMap(new LinkedHashMap<>());

	/**
	 * Run a check and add its problem, if any.
	 * @param beanName the bean that is checked, {@code null} if there is none
	 * @param check the check
	 */
	void collect(@Nullable String beanName, Runnable check) {
		try {
			check.run();
		}
		catch (LockDefinitionException ex) {
			this.problems.putIfAbsent(String.valueOf(ex.getMessage()), new Problem(beanName, ex));
		}
	}

	/**
	 * Throw the only problem, or one exception for all of them. Does nothing if there is
	 * none.
	 */
	void report() {
		List<Problem> all = List.copyOf(this.problems.values());
		if (all.size() == 1) {
			LockDefinitionException only = all.get(0).exception();
			String beanName = all.get(0).beanName();
			throw (beanName != null) ? new BeanCreationException(beanName, String.valueOf(only.getMessage()), only)
					: only;
		}
		if (!all.isEmpty()) {
			LockDefinitionException report = new LockDefinitionException(
					all.size() + " locks cannot work as they are written:"
							+ all.stream()
								.map((problem) -> String.format("%n%n    %s", problem))
								.collect(Collectors.joining()));
			all.forEach((problem) -> report.addSuppressed(problem.exception()));
			throw report;
		}
	}

	private record Problem(@Nullable String beanName, LockDefinitionException exception) {

		@Override
		public String toString() {
			return ((this.beanName != null) ? "Bean '" + this.beanName + "': " : "") + this.exception.getMessage();
		}

	}

}

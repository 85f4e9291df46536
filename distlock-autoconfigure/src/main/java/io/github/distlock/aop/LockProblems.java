package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanCreationException;

/**
 * Collects the problems of the annotations of an application for one report.
 */
final class LockProblems {

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * By message, because a class is checked for each of its beans. Guarded by
	 * {@link #lock}.
	 */
	private final Map<String, Problem> problems = new LinkedHashMap<>();

	private volatile boolean reported;

	/**
	 * Add a problem, unless it has been added.
	 * @param beanName the bean with the problem, {@code null} if there is none
	 * @param problem the problem
	 */
	void add(@Nullable String beanName, LockDefinitionException problem) {
		this.lock.lock();
		try {
			this.problems.putIfAbsent(String.valueOf(problem.getMessage()), new Problem(beanName, problem));
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Run a check and add its problem, if any.
	 */
	void collect(@Nullable String beanName, Runnable check) {
		try {
			check.run();
		}
		catch (LockDefinitionException ex) {
			add(beanName, ex);
		}
	}

	/** Whether an exception with the problems has been created. */
	boolean areReported() {
		return this.reported;
	}

	boolean isEmpty() {
		return all().isEmpty();
	}

	private List<Problem> all() {
		this.lock.lock();
		try {
			return List.copyOf(this.problems.values());
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Create the exception that reports all problems at start-up.
	 * @return the only problem itself, or one exception for all of them
	 */
	RuntimeException report() {
		this.reported = true;
		List<Problem> all = all();
		if (all.size() == 1) {
			Problem only = all.get(0);
			return (only.beanName() != null) ? new BeanCreationException(only.beanName(),
					String.valueOf(only.exception().getMessage()), only.exception()) : only.exception();
		}
		return combined(all);
	}

	/**
	 * Create the exception that reports all problems, for callers of a method.
	 * @return the only problem itself, or one exception for all of them
	 */
	LockDefinitionException exception() {
		this.reported = true;
		List<Problem> all = all();
		return (all.size() == 1) ? all.get(0).exception() : combined(all);
	}

	private static LockDefinitionException combined(List<Problem> all) {
		List<String> lines = new ArrayList<>();
		for (Problem problem : all) {
			lines.add(((problem.beanName() != null) ? "Bean '" + problem.beanName() + "': " : "")
					+ problem.exception().getMessage());
		}
		LockDefinitionException report = new LockDefinitionException(
				all.size() + " locks cannot work as they are written:"
						+ String.join("", lines.stream().map((line) -> String.format("%n%n    %s", line)).toList()));
		all.forEach((problem) -> report.addSuppressed(problem.exception()));
		return report;
	}

	private record Problem(@Nullable String beanName, LockDefinitionException exception) {
	}

}

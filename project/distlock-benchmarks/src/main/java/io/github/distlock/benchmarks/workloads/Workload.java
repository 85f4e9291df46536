package io.github.distlock.benchmarks.workloads;

import java.util.List;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.report.Chapter;
import io.github.distlock.benchmarks.servers.Deployment;

/**
 * One thing to measure.
 */
public interface Workload {

	/**
	 * Return what the report says of it.
	 * @return name, description and columns
	 */
	Chapter chapter();

	/**
	 * Return what the locks are kept in.
	 * @return the servers that it needs
	 */
	Deployment deployment();

	/**
	 * Return how it is measured if the run asks for these warm-ups.
	 * @param warmUps at least one
	 * @return one for each that makes a difference
	 */
	default List<Workload> after(List<WarmUp> warmUps) {
		return List.of(this);
	}

	/**
	 * Return who is measured.
	 * @param selected those that the user wants
	 * @return those of them that can be measured in it, or those that it is made for
	 */
	List<Contender> among(List<Contender> selected);

	/**
	 * Measure. Blocks until all rounds are done.
	 * @param bench what is needed
	 * @param contenders whom {@link #among} returned
	 */
	void run(Bench bench, List<Contender> contenders);

}

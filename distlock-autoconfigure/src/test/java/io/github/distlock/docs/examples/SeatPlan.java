package io.github.distlock.docs.examples;

/**
 * The seats of all shows.
 */
public interface SeatPlan {

	/** Reserve a seat of a show. */
	void reserve(String show, int seat);

}

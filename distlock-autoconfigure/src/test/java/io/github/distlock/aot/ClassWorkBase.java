package io.github.distlock.aot;

import java.util.List;

/**
 * Declares a method that is locked in a subclass.
 */
class ClassWorkBase {

	public List<String> inherited() {
		return StoreWork.keys();
	}

}

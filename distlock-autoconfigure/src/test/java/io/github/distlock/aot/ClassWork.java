package io.github.distlock.aot;

import java.util.List;

import io.github.distlock.DistributedLock;

/**
 * A class whose public methods, inherited ones included, are locked by an annotation of
 * the class.
 */
@DistributedLock(key = "#root.methodName")
class ClassWork extends LockedWork.ClassWorkBase {

	public List<String> own() {
		return LockedWork.keys();
	}

}

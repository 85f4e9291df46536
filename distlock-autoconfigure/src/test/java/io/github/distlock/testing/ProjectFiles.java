package io.github.distlock.testing;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The files of all modules, while other tests write and remove some of them: a file or
 * folder that is gone before it was read is left out, where {@link Files#walk} fails.
 */
public final class ProjectFiles {

	private static final Path ROOT = Path.of("..");

	private ProjectFiles() {
	}

	public static List<Path> matching(Predicate<Path> wanted) throws IOException {
		List<Path> found = new ArrayList<>();
		Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				if (wanted.test(file)) {
					found.add(file);
				}
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFileFailed(Path file, IOException ex) {
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path folder, IOException ex) {
				return FileVisitResult.CONTINUE;
			}

		});
		return found;
	}

}

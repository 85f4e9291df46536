package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.distlock.sample.shop.StockRepository;
import io.github.distlock.sample.shop.StockRepository.Sale;

import org.springframework.stereotype.Service;

/**
 * A folder as a lock: the file system lets only one caller create it.
 * <p>
 * What is wrong with it: the folder of a crashed holder remains until it is removed by
 * hand. Machines without a common file system do not see it.
 */
@Service("mkdir")
class MkdirStock implements StockStrategy, ClearedByHand {

	private final StockRepository stock;

	private final Polling polling;

	MkdirStock(StockRepository stock, Polling polling) {
		this.stock = stock;
		this.polling = polling;
	}

	@Override
	public Sale sell(String sku) {
		Path folder = folder(sku);
		this.polling.await(folder.toString(), null, () -> make(folder));
		try {
			return this.stock.sell(sku);
		}
		finally {
			remove(folder);
		}
	}

	@Override
	public void clear(String sku) {
		remove(folder(sku));
	}

	private static boolean make(Path folder) {
		try {
			Files.createDirectory(folder);
			return true;
		}
		catch (FileAlreadyExistsException ex) {
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void remove(Path folder) {
		try {
			Files.deleteIfExists(folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path folder(String sku) {
		return Path.of(System.getProperty("java.io.tmpdir", ""),
				"distlock-sample-" + URLEncoder.encode(sku, StandardCharsets.UTF_8) + ".lock");
	}

}
